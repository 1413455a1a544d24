import type { KubernetesObjects, Stack } from "../../model/index.ts";
import { type Address, isIpv4, lastOf, offset } from "../../net/index.ts";

/** A balancer that is a proxy has an address of its own in the nodes' network: one there that nobody is known to have. */
export function freeAddressBeside(
  targets: readonly string[],
  stacks: readonly Stack[],
  objects: KubernetesObjects,
): Address | undefined {
  const node = stacks.find((s) => targets.includes(s.name));
  const prefix = node?.devices.items
    .filter((d) => d.kind === "ethernet" || d.kind === "unknown" || d.kind === "bond" || d.kind === "vlan")
    .flatMap((d) => d.addresses)
    .find((a) => isIpv4(a.prefix.address) && a.prefix.length < 31 && a.prefix.length > 7)?.prefix;
  if (prefix === undefined || !isIpv4(prefix.address)) return undefined;
  const size = 2 ** (32 - prefix.length);
  const broadcast = lastOf(prefix);
  const taken = (address: Address): boolean =>
    stacks.some((s) => s.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address))) ||
    objects.nodes.some((n) => n.addresses.some((a) => a === address));
  for (let back = 1; back < Math.min(size - 1, 64); back++) {
    const candidate = offset(broadcast, -back);
    if (!taken(candidate)) return candidate;
  }
  return undefined;
}
