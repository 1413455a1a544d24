import type { Device, DeviceAddress } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { contains, familyOf, isIpv4, samePrefix } from "../../../net/index.ts";
import type { IpCommand } from "../command/command.ts";
import { type Applied, done, refused } from "./applied.ts";

const isSecondary = (a: DeviceAddress): boolean => a.flags.includes("secondary");
const RANK: Readonly<Record<string, number>> = lookup({ global: 0, site: 200, link: 253, host: 254, nowhere: 255 });
const scopeRank = (a: DeviceAddress): number => (typeof a.scope === "number" ? a.scope : (RANK[a.scope] ?? 0));

/** The subnet of an address is its peer's where it has one. */
const subnetOf = (a: DeviceAddress) => a.peer ?? a.prefix;

/** Follows __inet_insert_ifa() (net/ipv4/devinet.c): a second address of one subnet is secondary and goes last. */
function insert4(list: readonly DeviceAddress[], address: DeviceAddress): Applied<readonly DeviceAddress[]> {
  let at = 0;
  let secondary = false;
  for (const [i, other] of list.entries()) {
    if (familyOf(other.prefix.address) !== 4) continue;
    if (!isSecondary(other) && scopeRank(address) <= scopeRank(other)) at = i + 1;
    if (other.prefix.length !== address.prefix.length) continue;
    if (!contains(subnetOf(other), subnetOf(address).address)) continue;
    if (other.prefix.address === address.prefix.address) return refused("EEXIST");
    if (other.scope !== address.scope) return refused("EINVAL");
    secondary = true;
  }
  const flags = address.flags.filter((f) => f !== "secondary" && f !== "permanent");
  if (!secondary) return done([...list.slice(0, at), { ...address, flags }, ...list.slice(at)]);
  const firstOf6 = list.findIndex((a) => familyOf(a.prefix.address) === 6);
  const end = firstOf6 < 0 ? list.length : firstOf6;
  return done([...list.slice(0, end), { ...address, flags: ["secondary", ...flags] }, ...list.slice(end)]);
}

/** IPv6 keeps its list by scope, newest first within one (ipv6_link_dev_addr). */
function insert6(list: readonly DeviceAddress[], address: DeviceAddress): Applied<readonly DeviceAddress[]> {
  if (list.some((a) => a.prefix.address === address.prefix.address)) return refused("EEXIST");
  let at = list.findIndex((a) => familyOf(a.prefix.address) === 6 && scopeRank(a) >= scopeRank(address));
  if (at < 0) at = list.length;
  return done([...list.slice(0, at), address, ...list.slice(at)]);
}

type AddressCommand = Extract<IpCommand, { kind: "address" }>;

function removeAddress(
  list: readonly DeviceAddress[],
  command: AddressCommand,
  promote: boolean,
): Applied<readonly DeviceAddress[]> {
  const wanted = command.address!;
  const at = list.findIndex(
    (a) =>
      a.prefix.address === wanted.prefix.address &&
      (command.anyLength === true ||
        (a.prefix.length === wanted.prefix.length && samePrefix(subnetOf(a), subnetOf(wanted)))),
  );
  const gone = list[at];
  if (gone === undefined) return refused("EADDRNOTAVAIL");
  const rest = [...list.slice(0, at), ...list.slice(at + 1)];
  if (familyOf(gone.prefix.address) === 6 || isSecondary(gone)) return done(rest);
  // __inet_del_ifa(): the secondaries of a primary go with it, unless promote_secondaries makes the next one primary.
  const follows = (a: DeviceAddress): boolean =>
    isSecondary(a) && a.prefix.length === gone.prefix.length && contains(subnetOf(gone), subnetOf(a).address);
  if (!promote) return done(rest.filter((a) => !follows(a)));
  const next = rest.find(follows);
  if (next === undefined) return done(rest);
  const promoted = { ...next, flags: next.flags.filter((f) => f !== "secondary") };
  return insertPromoted(
    rest.filter((a) => a !== next),
    promoted,
  );
}

/** The promoted address takes the place after the last primary of a scope not narrower than its own. */
function insertPromoted(list: readonly DeviceAddress[], address: DeviceAddress): Applied<readonly DeviceAddress[]> {
  let at = 0;
  for (const [i, other] of list.entries())
    if (familyOf(other.prefix.address) === 4 && !isSecondary(other) && scopeRank(address) <= scopeRank(other))
      at = i + 1;
  return done([...list.slice(0, at), address, ...list.slice(at)]);
}

/** `ip addr …` on the devices of a stack. The routes that follow from an address are derived elsewhere. */
export function applyAddress(
  devices: readonly Device[],
  command: AddressCommand,
  options: { readonly promoteSecondaries?: boolean } = {},
): Applied<readonly Device[]> {
  const change = (device: Device): Applied<readonly DeviceAddress[]> => {
    const { address, family, verb } = command;
    if (verb === "flush")
      return done(device.addresses.filter((a) => family !== undefined && familyOf(a.prefix.address) !== family));
    if (address === undefined) return refused("EINVAL");
    if (verb === "delete") return removeAddress(device.addresses, command, options.promoteSecondaries === true);
    const known = device.addresses.findIndex(
      (a) => a.prefix.address === address.prefix.address && a.prefix.length === address.prefix.length,
    );
    if (known >= 0 && verb !== "add")
      return done(device.addresses.map((a, i) => (i === known ? { ...address, flags: a.flags } : a)));
    if (verb === "change" && known < 0) return refused("ENOENT");
    return isIpv4(address.prefix.address) ? insert4(device.addresses, address) : insert6(device.addresses, address);
  };
  if (command.device !== undefined && !devices.some((d) => d.name === command.device)) return refused("ENODEV");
  const result: Device[] = [];
  for (const device of devices) {
    if (command.device !== undefined && device.name !== command.device) {
      result.push(device);
      continue;
    }
    const addresses = change(device);
    if (!addresses.ok) return addresses;
    result.push({ ...device, addresses: addresses.value });
  }
  return done(result);
}
