import type { KubernetesObjects, Stack } from "../../model/index.ts";
import { type Address, type Family, familyOf, lastOf, maxLength, offset } from "../../net/index.ts";

/** A balancer that is a proxy has an address of its own in the nodes' network: one there that nobody is known to have. */
export function freeAddressBeside(
  targets: readonly string[],
  family: Family,
  stacks: readonly Stack[],
  objects: KubernetesObjects,
): Address | undefined {
  const node = stacks.find((s) => targets.includes(s.name));
  const prefix = node?.devices.items
    .filter((d) => d.kind === "ethernet" || d.kind === "unknown" || d.kind === "bond" || d.kind === "vlan")
    .flatMap((d) => d.addresses)
    .find(({ prefix: { address, length }, scope }) => {
      const hosts = maxLength(address) - length;
      return familyOf(address) === family && scope === "global" && hosts > 1 && length > 7;
    })?.prefix;
  if (prefix === undefined) return undefined;
  const size = 2 ** (maxLength(prefix.address) - prefix.length);
  const last = lastOf(prefix);
  const taken = (address: Address): boolean =>
    stacks.some((s) => s.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address))) ||
    objects.nodes.some((n) => n.addresses.some((a) => a === address));
  for (let back = 1; back < Math.min(size - 1, 64); back++) {
    const candidate = offset(last, -back);
    if (!taken(candidate)) return candidate;
  }
  return undefined;
}
