import type { ObservedArp, ObservedDirection, ObservedFrame } from "../../../model/index.ts";
import type { Bytes } from "./bytes.ts";
import { decodeIp } from "./decode-ip.ts";

/** Link types as pcap numbers them (LINKTYPE_*). */
export const LINKTYPE = {
  null: 0,
  ethernet: 1,
  ppp: 9,
  rawOld: 12,
  rawOpenBsd: 14,
  raw: 101,
  loop: 108,
  cooked: 113,
  ipv4: 228,
  ipv6: 229,
  cooked2: 276,
} as const;

export interface DecodedFrame extends ObservedFrame {
  readonly direction?: ObservedDirection;
  /** The index of the device, in a cooked (v2) capture of all. */
  readonly ifindex?: number;
}

const ETHERTYPE_VLAN = new Set([0x8100, 0x88a8, 0x9100]);

/** What follows an ethertype: VLAN tags, then IP or ARP. */
function decodePayload(bytes: Bytes, type: number, link: ObservedFrame, depth: number): ObservedFrame {
  const vlans: number[] = [];
  let at = 0;
  let ethertype = type;
  while (ETHERTYPE_VLAN.has(ethertype) && vlans.length < 8) {
    const tag = bytes.u16(at);
    const next = bytes.u16(at + 2);
    if (tag === undefined || next === undefined) break;
    vlans.push(tag & 0xfff);
    ethertype = next;
    at += 4;
  }
  const tagged = vlans.length === 0 ? link : { ...link, vlans };
  const body = bytes.rest(at);
  if (ethertype === 0x0800 || ethertype === 0x86dd) {
    const ip = decodeIp(body, depth);
    return ip === undefined ? tagged : { ...tagged, ip };
  }
  const arp = ethertype === 0x0806 ? decodeArp(body) : undefined;
  return arp === undefined ? tagged : { ...tagged, arp };
}

function decodeArp(bytes: Bytes): ObservedArp | undefined {
  const operation = bytes.u16(6);
  if (bytes.u16(2) !== 0x0800 || (operation !== 1 && operation !== 2) || bytes.u8(5) !== 4) return undefined;
  const size = bytes.u8(4)!;
  const sender = bytes.ipv4(8 + size);
  const target = bytes.ipv4(12 + 2 * size);
  if (sender === undefined || target === undefined) return undefined;
  const mac = size === 6 ? bytes.mac(8) : undefined;
  return {
    operation: operation === 1 ? "request" : "reply",
    sender,
    target: operation === 1 ? target : sender,
    ...(mac === undefined ? {} : { mac }),
  };
}

export function decodeEthernet(bytes: Bytes, depth = 0): ObservedFrame | undefined {
  const type = bytes.u16(12);
  if (type === undefined) return undefined;
  return decodePayload(bytes.rest(14), type, { dstMac: bytes.mac(0)!, srcMac: bytes.mac(6)! }, depth);
}

const PACKET_TYPES: readonly ObservedDirection[] = ["in", "broadcast", "multicast", "other", "out"];

function decodeCooked(bytes: Bytes): DecodedFrame | undefined {
  const type = bytes.u16(14);
  if (type === undefined) return undefined;
  const direction = PACKET_TYPES[bytes.u16(0)!];
  const link = bytes.u16(4) === 6 ? { srcMac: bytes.mac(6)! } : {};
  return { ...decodePayload(bytes.rest(16), type, link, 0), ...(direction === undefined ? {} : { direction }) };
}

function decodeCooked2(bytes: Bytes): DecodedFrame | undefined {
  if (bytes.length < 20) return undefined;
  const direction = PACKET_TYPES[bytes.u8(10)!];
  const link = bytes.u8(11) === 6 ? { srcMac: bytes.mac(12)! } : {};
  return {
    ...decodePayload(bytes.rest(20), bytes.u16(0)!, link, 0),
    ifindex: bytes.u32(4)!,
    ...(direction === undefined ? {} : { direction }),
  };
}

/** A frame by its capture's link type; undefined where that is not one we read. */
export function decodeFrame(bytes: Bytes, linkType: number): DecodedFrame | undefined {
  switch (linkType) {
    case LINKTYPE.ethernet:
      return decodeEthernet(bytes);
    case LINKTYPE.cooked:
      return decodeCooked(bytes);
    case LINKTYPE.cooked2:
      return decodeCooked2(bytes);
    case LINKTYPE.raw:
    case LINKTYPE.rawOld:
    case LINKTYPE.rawOpenBsd:
    case LINKTYPE.ipv4:
    case LINKTYPE.ipv6:
      return withIp(bytes);
    case LINKTYPE.null:
    case LINKTYPE.loop:
      return withIp(bytes.rest(4));
    default:
      return undefined;
  }
}

function withIp(bytes: Bytes): DecodedFrame {
  const ip = decodeIp(bytes);
  return ip === undefined ? {} : { ip };
}
