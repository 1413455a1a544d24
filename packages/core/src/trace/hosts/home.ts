import type { Stack } from "../../model/index.ts";
import { type Address, contains } from "../../net/index.ts";

/** The only node an address of nobody shown can be behind: a node that routes its network to another machine is not it. */
export function homeOfAddress(nodes: readonly Stack[], address: Address): string | undefined {
  const homes = nodes.filter((s) => !routesElsewhere(s, address));
  return homes.length === 1 ? homes[0]?.name : undefined;
}

/** Whether a node's own routes name another machine for the network an address is in. */
function routesElsewhere(stack: Stack, address: Address): boolean {
  const best = stack.routeTables
    .flatMap((t) => t.routes)
    .filter((r) => r.type === "unicast" && r.destination.length > 0 && contains(r.destination, address))
    .sort((a, b) => b.destination.length - a.destination.length)[0];
  return best?.nexthops.some((h) => h.gateway !== undefined && !isOwn(stack, h.gateway)) === true;
}

/** A gateway that is the node itself, as Cilium writes it for its pods: no other machine. */
export const isOwn = ({ devices }: Stack, gateway: Address): boolean =>
  devices.items.some((d) => d.addresses.some((a) => a.prefix.address === gateway));
