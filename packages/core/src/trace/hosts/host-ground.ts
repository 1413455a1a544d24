import type { Ground, Stack } from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import type { Walk } from "../walk/walk.ts";
import { hostedBy, isInternal, isNearServices, isTunnelPeer, knowledgeOf } from "./known-hosts.ts";
import { isPlacedElsewhere } from "./placed-elsewhere.ts";

const addressOf = ({ devices }: Stack): Address | undefined =>
  devices.items.find((d) => d.kind !== "loopback")?.addresses[0]?.prefix.address;

/**
 * What a packet's arrival in a stack rests on: nothing where the stack was dumped or stated; on a host's being there where
 * nobody knows it; on a node where objects are all that is known of it. A client that the question puts outside is beyond it.
 */
export function hostGround(walk: Walk, stack: Stack): Ground | undefined {
  const { world, question } = walk;
  if (stack.assumed === undefined) return stack.fromObjects === true ? { kind: "node", node: stack.name } : undefined;
  const address = addressOf(stack);
  if (stack.origin.kind === "read" || address === undefined) return undefined;
  const client = stack.name === question.client;
  const known = knowledgeOf(world, address);
  const behind = stack.node;
  if (behind !== undefined) {
    if (known !== undefined && !isPlacedElsewhere(world, behind, address)) return undefined;
    return { kind: client ? "client" : "endpoint", address, node: behind };
  }
  // A node: what it asks for goes through its own rules first, and its pods' network by its own end of the tunnel.
  if (client && isTunnelPeer(world, address))
    return { kind: "node", node: hostedBy(world, address) ?? formatAddress(address) };
  if (known === "neighbour") return undefined;
  if (client && !isInternal(world, address)) return undefined;
  if (known === "object") {
    const node = hostedBy(world, address);
    return node === undefined ? undefined : { kind: "node", node, address };
  }
  if (client) return { kind: "client", address };
  if (address === question.to) {
    const service = walk.isClusterAddress(address);
    if (service || isNearServices(world, address))
      return { kind: "service", address, port: question.port, known: service };
  }
  return { kind: "endpoint", address };
}
