import type { AddressScope, Device, DeviceAddress } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { type Address, contains, isIpv4 } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { devConfFlag } from "../kernel/sysctl.ts";

const SCOPE: Readonly<Record<string, number>> = lookup({
  global: 0,
  universe: 0,
  site: 200,
  link: 253,
  host: 254,
  nowhere: 255,
});
export const SCOPE_UNIVERSE = 0;
export const SCOPE_LINK = 253;

export const scopeNumber = (scope: AddressScope | undefined): number =>
  typeof scope === "number" ? scope : (SCOPE[scope ?? "global"] ?? 0);

const isSecondary = (a: DeviceAddress): boolean => a.flags.includes("secondary");

/** Addresses of the host alone count as the link's on a device with route_localnet (localnet_scope, since 5.3). */
function isBeyond(kernel: Kernel, device: Device, entry: DeviceAddress, scope: number): boolean {
  const own = scopeNumber(entry.scope);
  return own > scope && (scope < SCOPE_LINK || !devConfFlag(kernel, "route_localnet", device.name));
}

/**
 * The source address for packets leaving by a device. Follows inet_select_addr() (net/ipv4/devinet.c): the device's own
 * primaries first, preferring the subnet of the next hop; a device without any falls back to the first suitable address
 * of any device, in registration order, lo first and DOWN devices included.
 */
export function inetSelectAddr(
  kernel: Kernel,
  device: Device,
  nexthop: Address | undefined,
  scope: number,
): { readonly address: Address; readonly device: Device; readonly entry: DeviceAddress } | undefined {
  let first: DeviceAddress | undefined;
  for (const entry of device.addresses) {
    if (!isIpv4(entry.prefix.address) || isSecondary(entry) || isBeyond(kernel, device, entry, scope)) continue;
    if (nexthop === undefined || contains(entry.peer ?? entry.prefix, nexthop)) {
      return { address: entry.prefix.address, device, entry };
    }
    first ??= entry;
  }
  if (first !== undefined) return { address: first.prefix.address, device, entry: first };
  for (const other of kernel.stack.devices.items) {
    if (other === device) continue;
    for (const entry of other.addresses) {
      if (!isIpv4(entry.prefix.address) || isSecondary(entry)) continue;
      const s = scopeNumber(entry.scope);
      if (s !== SCOPE_LINK && s <= scope) return { address: entry.prefix.address, device: other, entry };
    }
  }
  return undefined;
}

export const hasIpv4Address = (device: Device): boolean => device.addresses.some((a) => isIpv4(a.prefix.address));
