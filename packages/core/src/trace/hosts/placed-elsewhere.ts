import type { DeviceKind, Stack, World } from "../../model/index.ts";
import { type Address, contains } from "../../net/index.ts";
import { hostedBy, neighboursOf } from "./known-hosts.ts";
import { leadsByPort } from "./owners.ts";

const CARDS: ReadonlySet<DeviceKind> = new Set<DeviceKind>(["ethernet", "bond", "team", "vlan", "unknown"]);

/** It is in the network of a bridge that has one of the node's cards for a port. */
const isBridgedToOthers = ({ devices: { items } }: Stack, address: Address): boolean =>
  items.some(
    (d) =>
      d.kind === "bridge" &&
      d.addresses.some((a) => contains(a.prefix, address)) &&
      items.some((port) => port.master === d.name && CARDS.has(port.kind)),
  );

/** A node routes to an address by a port of its own whom objects place on another that was shown, or another one routes to by a port of its own. */
export function isPlacedElsewhere(world: World, node: string, address: Address): boolean {
  const host = hostedBy(world, address);
  if (host === node) return false;
  const here = world.stacks.find((s) => s.name === node);
  if (here === undefined || neighboursOf(here).has(address) || isBridgedToOthers(here, address)) return false;
  const isOther = (s: Stack): boolean => s !== here && s.kind === "node" && s.assumed === undefined;
  return world.stacks.some((s) => isOther(s) && (host === undefined ? leadsByPort(s, address) : s.name === host));
}
