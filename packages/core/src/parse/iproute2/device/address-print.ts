import type { Device, DeviceAddress } from "../../../model/index.ts";
import { familyOf, formatAddress, formatPrefix } from "../../../net/index.ts";

const lifetime = (value: number | "forever" | undefined): string =>
  value === undefined || value === "forever" ? "forever" : `${value}sec`;

/** The `inet` line of an address and the line of its lifetimes, as `ip addr show` prints them. */
export function printAddress(a: DeviceAddress): string {
  const family = familyOf(a.prefix.address) === 4 ? "inet" : "inet6";
  let out = `    ${family} `;
  out +=
    a.peer === undefined
      ? `${formatPrefix(a.prefix)} `
      : `${formatAddress(a.prefix.address)} peer ${formatPrefix(a.peer)} `;
  if (a.metric !== undefined) out += `metric ${a.metric} `;
  if (a.broadcast !== undefined) out += `brd ${formatAddress(a.broadcast)} `;
  out += `scope ${a.scope} `;
  for (const flag of a.flags) out += `${flag} `;
  if (a.protocol !== undefined) out += `proto ${a.protocol} `;
  if (a.label !== undefined) out += a.label;
  return `${out}\n       valid_lft ${lifetime(a.validLifetime)} preferred_lft ${lifetime(a.preferredLifetime)}`;
}

/** The addresses of a device, a line each with its lifetimes. */
export const printAddresses = (device: Device): string => device.addresses.map(printAddress).join("\n");
