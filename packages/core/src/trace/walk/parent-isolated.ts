import { type Device, isChildCard, type Stack, type World } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import { onDevice } from "../hosts/owners.ts";

/** Also of an ipvlan in l3 mode its host hears nothing. */
const isChild = (d: Device): boolean => isChildCard(d) || d.kind === "ipvlan";

/**
 * Whether two ends of one described segment do not hear each other: a child and its parent's own stack, or children of one parent unless in
 * bridge mode.
 */
export function silentTo(stack: Stack, device: Device, otherStack: Stack, other: Device): boolean {
  if (hostOf(stack) !== hostOf(otherStack)) return false;
  if (isChild(device) && isChild(other)) return [device, other].some((d) => d.mode === "private" || d.mode === "vepa");
  return isChild(device) !== isChild(other);
}

/**
 * Follows macvlan_queue_xmit() and ipvlan_xmit_mode_l2(): what a child and its parent's own stack send each other goes out on
 * the wire and comes back to neither; children of one parent hear each other in bridge mode only.
 */
export function isolatedByParent(world: World, stack: Stack, device: Device, target: Address): boolean {
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
