import type { Device, DeviceAddress } from "@hairpin/core/model/index.ts";
import { familyOf, isIpv4, isLinkLocal, LOOPBACK4, LOOPBACK6 } from "@hairpin/core/net/index.ts";
import type { LabStack } from "../plan.ts";
import { attempt, type Refusal } from "./refusal.ts";
import { addressWord, line, macWord, nameWord, numberWord, oneOf, prefixWord } from "./words.ts";

const SCOPES = ["global", "site", "link", "host"] as const;

/** The words after `ip addr add|del`. */
export function addressWords(device: string, address: DeviceAddress): string[] {
  const family = familyOf(address.prefix.address);
  const words =
    address.peer === undefined
      ? [prefixWord(address.prefix)]
      : [addressWord(address.prefix.address), "peer", prefixWord(address.peer)];
  if (address.broadcast !== undefined && family === 4) words.push("broadcast", addressWord(address.broadcast));
  if (address.scope !== "global") {
    words.push("scope", typeof address.scope === "number" ? numberWord(address.scope) : oneOf(address.scope, SCOPES));
  }
  if (address.metric !== undefined) words.push("metric", numberWord(address.metric));
  words.push("dev", nameWord(device));
  if (family === 6) words.push("nodad");
  if (address.flags.includes("noprefixroute")) words.push("noprefixroute");
  if (address.flags.includes("deprecated")) words.push("preferred_lft", "0");
  return words;
}

function settings(device: Device): string[] {
  const words: string[] = [];
  if (device.kind !== "loopback" && device.mac !== undefined && hasMac(device))
    words.push("address", macWord(device.mac));
  if (device.mtu !== undefined) words.push("mtu", numberWord(device.mtu));
  if (device.flags?.includes("NOARP") === true && hasMac(device)) words.push("arp", "off");
  if (device.flags?.includes("PROMISC") === true) words.push("promisc", "on");
  return words;
}

const hasMac = (device: Device): boolean =>
  !["tun", "ipip", "sit", "gre", "loopback", "ipvlan", "vrf", "wireguard"].includes(device.kind);

const onOff = (value: boolean): string => (value ? "on" : "off");

function portWords(device: Device): string[] {
  const port = device.port ?? {};
  const words: string[] = [];
  const flag = (name: string, value: boolean | undefined) => {
    if (value !== undefined) words.push(name, onOff(value));
  };
  flag("hairpin", port.hairpin);
  flag("isolated", port.isolated);
  flag("learning", port.learning);
  flag("flood", port.flood);
  flag("proxy_arp", port.proxyArp);
  flag("neigh_suppress", port.neighbourSuppression);
  flag("mcast_flood", port.multicastFlood);
  flag("bcast_flood", port.broadcastFlood);
  return words;
}

/** IPv4 addresses are appended to the device's list, IPv6 ones put before their equals (ipv6_link_dev_addr). */
export const inOrderOfAdding = (device: Device): readonly DeviceAddress[] => [
  ...device.addresses.filter((a) => familyOf(a.prefix.address) === 4),
  ...device.addresses.filter((a) => familyOf(a.prefix.address) === 6).reverse(),
];

/** 127.0.0.1 and ::1 come with the loopback device. */
const comesByItself = (device: Device, address: DeviceAddress): boolean =>
  device.kind === "loopback" && (address.prefix.address === LOOPBACK4 || address.prefix.address === LOOPBACK6);

const isLinkLocal6 = ({ prefix: { address } }: DeviceAddress): boolean => !isIpv4(address) && isLinkLocal(address);

/** Names, MACs, masters, addresses and link states of all devices of a stack, for one `ip -batch`. */
export function deviceState(stack: LabStack, refused: Refusal[]): readonly string[] {
  const lines: string[] = [];
  const say = (device: Device, what: string, make: () => string) =>
    attempt(refused, stack.name, `${what} of ${device.name}`, () => lines.push(make()));
  for (const device of stack.devices) {
    const name = () => nameWord(device.name);
    const set = settings(device);
    if (set.length > 0) say(device, "settings", () => line("link", "set", "dev", name(), settings(device)));
    const { master } = device;
    // Where the World shows a link-local address the kernel must not make one; elsewhere it needs one to ask neighbours.
    if (stack.ipv6 && device.kind !== "loopback" && device.addresses.some(isLinkLocal6)) {
      say(device, "settings", () => line("link", "set", "dev", name(), "addrgenmode", "none"));
    }
    if (master === undefined) continue;
    say(device, "master", () => line("link", "set", "dev", name(), "master", nameWord(master)));
    const port = portWords(device);
    if (port.length > 0) say(device, "port", () => line("link", "set", "dev", name(), "type", "bridge_slave", port));
  }
  for (const device of stack.devices) {
    const up = device.up !== false;
    if (up && device.kind === "loopback") lines.push("link set dev lo up");
    for (const address of inOrderOfAdding(device)) {
      if (comesByItself(device, address)) continue;
      if (familyOf(address.prefix.address) === 6 && !stack.ipv6) continue;
      say(device, "address", () => line("address", "add", addressWords(device.name, address)));
    }
  }
  for (const device of stack.devices) {
    if (device.up !== false && device.kind !== "loopback") {
      say(device, "state", () => line("link", "set", "dev", nameWord(device.name), "up"));
    }
  }
  return lines;
}
