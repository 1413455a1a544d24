import { type Device, type DeviceAddress, isEthernet } from "@hairpin/core/model/index.ts";
import {
  addressWord,
  deviceWord,
  type Line,
  lineOf,
  macWord,
  numberWord,
  oneOf,
  prefixWord,
  type Word,
  words,
} from "@hairpin/core/model/word.ts";
import { familyOf, isIpv4, isLinkLocal, LOOPBACK4, LOOPBACK6 } from "@hairpin/core/net/index.ts";
import type { LabStack } from "../plan.ts";
import { attempt, type Refusal, Unspeakable } from "./refusal.ts";

const SCOPES = ["global", "site", "link", "host"] as const;

/** The words after `ip addr add|del`. */
export function addressWords(device: string, address: DeviceAddress): readonly Word[] {
  const family = familyOf(address.prefix.address);
  const args: Word[] = [
    ...(address.peer === undefined
      ? [prefixWord(address.prefix)]
      : words`${addressWord(address.prefix.address)} peer ${prefixWord(address.peer)}`),
  ];
  if (address.broadcast !== undefined && family === 4) args.push(...words`broadcast ${addressWord(address.broadcast)}`);
  if (address.scope !== "global") {
    const { scope } = address;
    args.push(...words`scope ${typeof scope === "number" ? numberWord(scope) : oneOf(scope, SCOPES)}`);
  }
  if (address.metric !== undefined) args.push(...words`metric ${numberWord(address.metric)}`);
  args.push(...words`dev ${deviceWord(device)}`);
  if (family === 6) args.push(...words`nodad`);
  if (address.flags.includes("noprefixroute")) args.push(...words`noprefixroute`);
  if (address.flags.includes("deprecated")) args.push(...words`preferred_lft 0`);
  return args;
}

/** A group of devices; names other than `default` stand in a file of the machine's own. */
export function groupWord(group: string): Word {
  if (group === "default") return numberWord(0);
  if (!/^\d{1,10}$/.test(group)) throw new Unspeakable(`a group of devices that only its machine knows: ${group}`);
  return numberWord(Number(group));
}

function settings(device: Device): readonly Word[] {
  const argv: Word[] = [];
  if (device.kind !== "loopback" && device.mac !== undefined && hasMac(device))
    argv.push(...words`address ${macWord(device.mac)}`);
  if (device.mtu !== undefined) argv.push(...words`mtu ${numberWord(device.mtu)}`);
  if (device.flags?.includes("NOARP") === true && hasMac(device)) argv.push(...words`arp off`);
  if (device.group !== undefined && device.group !== "default") argv.push(...words`group ${groupWord(device.group)}`);
  if (device.flags?.includes("PROMISC") === true) argv.push(...words`promisc on`);
  return argv;
}

export const hasMac = (device: Device): boolean =>
  isEthernet(device) && device.kind !== "ipvlan" && device.kind !== "vrf";

function portWords(device: Device): readonly Word[] {
  const port = device.port ?? {};
  const flag = (name: readonly Word[], value: boolean | undefined): readonly Word[] =>
    value === undefined ? [] : words`${name} ${value ? words`on` : words`off`}`;
  return [
    ...flag(words`hairpin`, port.hairpin),
    ...flag(words`isolated`, port.isolated),
    ...flag(words`learning`, port.learning),
    ...flag(words`flood`, port.flood),
    ...flag(words`proxy_arp`, port.proxyArp),
    ...flag(words`neigh_suppress`, port.neighbourSuppression),
    ...flag(words`mcast_flood`, port.multicastFlood),
    ...flag(words`bcast_flood`, port.broadcastFlood),
    ...flag(words`locked`, port.locked),
  ];
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
export function deviceState(stack: LabStack, refused: Refusal[]): readonly Line[] {
  const lines: Line[] = [];
  const say = (device: Device, what: string, make: () => readonly Word[], origin = device.origin) =>
    attempt(refused, { stack: stack.name, what: `${what} of ${device.name}`, origin }, () => {
      const said = make();
      if (said.length > 0) lines.push(lineOf(said));
    });
  for (const device of stack.devices) {
    const set = () => words`link set dev ${deviceWord(device.name)}`;
    const setting = (what: readonly Word[]) => (what.length === 0 ? [] : words`${set()} ${what}`);
    say(device, "settings", () => setting(settings(device)));
    const { master } = device;
    // Where the World shows a link-local address the kernel must not make one; elsewhere it needs one to ask neighbours.
    if (stack.ipv6 && device.kind !== "loopback" && device.addresses.some(isLinkLocal6)) {
      say(device, "settings", () => words`${set()} addrgenmode none`);
    }
    if (master === undefined) continue;
    say(device, "master", () => words`${set()} master ${deviceWord(master)}`);
    const port = portWords(device);
    if (port.length > 0) say(device, "port", () => words`${set()} type bridge_slave ${port}`);
  }
  for (const device of stack.devices.filter((d) => d.kind === "bridge")) {
    const { name, mtu } = device;
    // A bridge takes the smallest MTU of its ports until somebody says otherwise (br_mtu_auto_adjust()).
    if (mtu !== undefined && stack.devices.some((d) => d.master === name && d.mtu !== mtu))
      say(device, "mtu", () => words`link set dev ${deviceWord(name)} mtu ${numberWord(mtu)}`);
  }
  for (const device of stack.devices) {
    const up = device.up !== false;
    if (up && device.kind === "loopback") lines.push(lineOf(words`link set dev lo up`));
    for (const address of inOrderOfAdding(device)) {
      if (comesByItself(device, address)) continue;
      if (familyOf(address.prefix.address) === 6 && !stack.ipv6) continue;
      const add = () => words`address add ${addressWords(device.name, address)}`;
      say(device, "address", add, address.origin);
    }
  }
  for (const device of stack.devices) {
    if (device.up !== false && device.kind !== "loopback") {
      say(device, "state", () => words`link set dev ${deviceWord(device.name)} up`);
    }
  }
  return lines;
}
