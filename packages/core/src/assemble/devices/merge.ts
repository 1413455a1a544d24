import type { Device, DeviceAddress, Extent, Listing } from "../../model/index.ts";
import { formatPrefix, isIpv4 } from "../../net/index.ts";
import { invocationOf } from "../../parse/iproute2/invocation.ts";
import type { Dumped } from "../dumped.ts";

type Shown = { readonly device: Device; readonly by: Dumped<"devices"> };

/**
 * One list of devices from ip addr, ip link, bridge link, brctl, ifconfig and hairpin_mode files. Each field is taken
 * from the most detailed listing that has it; among equals from the first, since the broken state is shown before the cure.
 */
export function mergeDevices(listings: readonly Dumped<"devices">[]): Listing<Device> {
  if (listings.length === 0) return { items: [], extent: "unread" };
  const byName = new Map<string, Shown[]>();
  for (const by of listings) {
    for (const device of by.fact.devices) {
      const shown = byName.get(device.name);
      if (shown === undefined) byName.set(device.name, [{ device, by }]);
      else shown.push({ device, by });
    }
  }
  const items = [...byName.values()].map((shown) => mergeOne(shown, listings));
  const extent: Extent = listings.some(listsAll) ? "whole" : "partial";
  return { items: inRegistrationOrder(items), extent };
}

/** `ip -4 addr` leaves out devices without an IPv4 address, so it is no list of all devices though nothing was cut. */
function listsAll({ fact }: Dumped<"devices">): boolean {
  if (fact.extent !== "whole" || !fact.shows.includes("link")) return false;
  const one = fact.shows.includes("ipv4") !== fact.shows.includes("ipv6");
  const family = fact.shows.includes("ipv4");
  return !one || fact.devices.some((d) => !d.addresses.some((a) => isIpv4(a.prefix.address) === family));
}

/** `ip -4 addr` without more words: a device that it leaves out has no address of that family. */
function listsFamily({ dump }: Dumped<"devices">): boolean {
  const ip = invocationOf(dump.context.command ?? []);
  const plain = ip?.tool === "ip" && ip.object === "address" && ip.family !== undefined && ip.rest.length <= 1;
  return plain && dump.context.partial === undefined;
}

/** lo first, then by index where it is known; the rest where the text has it. */
export function inRegistrationOrder(devices: readonly Device[]): readonly Device[] {
  const rank = (d: Device): number => (d.name === "lo" ? 0 : (d.index ?? Number.MAX_SAFE_INTEGER));
  return devices
    .map((device, i) => ({ device, i }))
    .sort((a, b) => rank(a.device) - rank(b.device) || a.i - b.i)
    .map(({ device }) => device);
}

const detail = (d: Device): number => Object.keys(d).length + (d.kind === "unknown" ? 0 : 1);

function mergeOne(shown: readonly Shown[], listings: readonly Dumped<"devices">[]): Device {
  const ranked = [...shown].sort((a, b) => detail(b.device) - detail(a.device)).map((s) => s.device);
  let merged = ranked[0]!;
  for (const other of ranked.slice(1)) {
    merged = {
      ...other,
      ...merged,
      ...(merged.kind === "unknown" ? { kind: other.kind } : {}),
      ...joined("port", merged, other),
      ...joined("bridge", merged, other),
      ...joined("tunnel", merged, other),
    };
  }
  const v4 = addressesOf(shown, listings, "ipv4");
  const v6 = addressesOf(shown, listings, "ipv6");
  // Both families stand in one list; which of them is complete matters for IPv4, where source selection needs it.
  return { ...merged, addresses: [...v4.list, ...v6.list], addressesKnown: v4.known };
}

const joined = <K extends "port" | "bridge" | "tunnel">(key: K, a: Device, b: Device): Partial<Pick<Device, K>> =>
  (a[key] === undefined && b[key] === undefined ? {} : { [key]: { ...b[key], ...a[key] } }) as Partial<Pick<Device, K>>;

function addressesOf(
  shown: readonly Shown[],
  listings: readonly Dumped<"devices">[],
  family: "ipv4" | "ipv6",
): { readonly list: readonly DeviceAddress[]; readonly known: boolean } {
  const of = (d: Device) => d.addresses.filter((a) => isIpv4(a.prefix.address) === (family === "ipv4"));
  const full = shown.filter((s) => s.by.fact.shows.includes(family) && s.device.addressesKnown);
  const [first] = full;
  if (first !== undefined) return { list: of(first.device), known: true };
  const list = new Map<string, DeviceAddress>();
  for (const { device } of shown) {
    for (const a of of(device)) if (!list.has(formatPrefix(a.prefix))) list.set(formatPrefix(a.prefix), a);
  }
  const leftOut = listings.some((l) => l.fact.shows.includes(family) && (l.fact.extent === "whole" || listsFamily(l)));
  return { list: [...list.values()], known: leftOut };
}
