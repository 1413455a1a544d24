import type { ObservedFrame } from "../../model/index.ts";
import { type Mac, parseMac } from "../../net/index.ts";
import { readArp } from "./arp.ts";
import type { Cursor } from "./cursor.ts";
import { readIp } from "./ip.ts";
import type { Sequences } from "./sequence.ts";

const MACS =
  /([0-9a-fA-F:]{17}|Broadcast)(?: \(oui [^)\n]{1,40}\))? > ([0-9a-fA-F:]{17}|Broadcast)(?: \(oui [^)\n]{1,40}\))?, /y;
const COOKED_MAC = /([0-9a-fA-F:]{17})(?: \(oui [^)\n]{1,40}\))?,? (?=ethertype |length |\()/y;
const ETHERTYPE = /(?:ethertype )?([A-Za-z0-9.-]{2,20})(?: \(0x[0-9a-f]{1,4}\))?, length \d{1,7}: /y;
const VLAN = /vlan (\d{1,4}), p \d(?:, DEI)?, (?:ethertype ([A-Za-z0-9.-]{2,20})(?: \(0x[0-9a-f]{1,4}\))?, ?)?/y;
const NAMED_TYPE = /ethertype ([A-Za-z0-9.-]{2,20})(?: \(0x[0-9a-f]{1,4}\))?, ?/y;
const MPLS = /MPLS(?: \(label [^)\n]{1,60}\),?){1,8}\s{1,4}/y;

const macOf = (text: string): Mac | undefined => (text === "Broadcast" ? "ff:ff:ff:ff:ff:ff" : parseMac(text));

/** From the hardware addresses, where `-e` shows them, to the packet inside. Undefined: nothing of a frame here. */
export function readFrame(cursor: Cursor, sequences: Sequences, depth = 0): ObservedFrame | undefined {
  const start = cursor.at;
  const macs = cursor.take(MACS);
  const cooked = macs === undefined ? cursor.take(COOKED_MAC) : undefined;
  const srcMac = macOf(macs?.[1] ?? cooked?.[1] ?? "");
  const dstMac = macs === undefined ? undefined : macOf(macs[2]!);
  let type = cursor.take(ETHERTYPE)?.[1];
  const vlans: number[] = [];
  for (let vlan = cursor.take(VLAN); vlan !== undefined && vlans.length < 8; vlan = cursor.take(VLAN)) {
    vlans.push(Number(vlan[1]));
    type = vlan[2];
  }
  type = cursor.take(NAMED_TYPE)?.[1] ?? type;
  cursor.take(MPLS);
  const link = {
    ...(srcMac === undefined ? {} : { srcMac }),
    ...(dstMac === undefined ? {} : { dstMac }),
    ...(vlans.length === 0 ? {} : { vlans }),
  };
  cursor.skipSpace();
  if (cursor.skip("IP6 ") || cursor.skip("IP6,")) return withIp(cursor, 6, link, sequences, depth);
  if (cursor.skip("IP ")) return withIp(cursor, 4, link, sequences, depth);
  if (cursor.skip("ARP, ") || cursor.skip("arp ")) return withArp(cursor, link);
  if (type === "IPv4") return withIp(cursor, 4, link, sequences, depth);
  if (type === "IPv6") return withIp(cursor, 6, link, sequences, depth);
  if (type === "ARP") return withArp(cursor, link);
  return cursor.at > start && (type !== undefined || macs !== undefined) ? link : undefined;
}

function withIp(
  cursor: Cursor,
  family: 4 | 6,
  link: ObservedFrame,
  sequences: Sequences,
  depth: number,
): ObservedFrame | undefined {
  const ip = readIp(cursor, family, sequences, depth);
  return ip === undefined ? undefined : { ...link, ip };
}

function withArp(cursor: Cursor, link: ObservedFrame): ObservedFrame | undefined {
  const arp = readArp(cursor);
  if (arp === undefined) return undefined;
  const mac = arp.mac ?? link.srcMac;
  return { ...link, arp: { ...arp, ...(mac === undefined ? {} : { mac }) } };
}
