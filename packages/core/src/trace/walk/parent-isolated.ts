import type { Device, Stack, World } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import { onDevice } from "../hosts/owners.ts";

/** A card of its own on another one's wire (macvlan, ipvlan in l2 mode). */
const isChild = (d: Device): boolean => d.kind === "macvlan" || d.kind === "macvtap" || d.kind === "ipvlan";

/**
 * Follows macvlan_queue_xmit() and ipvlan_xmit_mode_l2(): what a child and its parent's own stack send each other goes out on
 * the wire and comes back to neither; children of one parent hear each other in bridge mode only.
 */
export function keptApart(world: World, stack: Stack, device: Device, target: Address): boolean {
  const owner = onDevice(world, target, (d) => d.kind !== "loopback" && d.kind !== "dummy");
  if (owner?.kind !== "device" || owner.stack === stack) return false;
  const there = owner.device;
  if (isChild(device) && isChild(there)) {
    const siblings = hostOf(stack) === hostOf(owner.stack);
    return siblings && [device, there].some((d) => d.mode === "private" || d.mode === "vepa");
  }
  if (isChild(device)) return owner.stack.name === stack.node;
  return isChild(there) && owner.stack.node === stack.name;
}

const hostOf = (stack: Stack): string => stack.node ?? stack.name;
