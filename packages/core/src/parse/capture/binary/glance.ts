import { ANY4, type Ipv4, ipv4At, PROTO } from "../../../net/index.ts";
import { VXLAN_PORTS } from "./decode-ip.ts";
import { LINKTYPE } from "./decode-link.ts";

/** The numbers of one plain IPv4 packet, without any record of it. */
export interface Glance {
  src: Ipv4;
  dst: Ipv4;
  protocol: number;
  sport: number;
  dport: number;
  /** The number a translation leaves alone: TCP's, or the IP id. */
  number: number;
  /** TCP's. */
  flags: number;
}

export const glanceOf = (): Glance => ({ src: ANY4, dst: ANY4, protocol: 0, sport: 0, dport: 0, number: 0, flags: 0 });

const GENEVE = 6081;

/** Reads a plain TCP or UDP packet over IPv4 into `into`; false where it is anything else, which needs a proper look. */
export function glance(data: Uint8Array, from: number, to: number, linkType: number, into: Glance): boolean {
  const at = headerAt(data, from, linkType);
  if (at < 0 || at + 40 > to) return false;
  const first = data[at]!;
  const header = at + (first & 15) * 4;
  if (first >> 4 !== 4 || header < at + 20 || header + 20 > to) return false;
  if ((data[at + 6]! & 0x1f) !== 0 || data[at + 7] !== 0) return false;
  const protocol = data[at + 9]!;
  if (protocol !== PROTO.tcp && protocol !== PROTO.udp) return false;
  into.protocol = protocol;
  into.src = ipv4At(data, at + 12);
  into.dst = ipv4At(data, at + 16);
  into.sport = u16(data, header);
  into.dport = u16(data, header + 2);
  if (protocol === PROTO.udp) {
    if (VXLAN_PORTS.has(into.dport) || into.dport === GENEVE) return false;
    into.number = u16(data, at + 4);
    into.flags = 0;
  } else {
    into.flags = data[header + 13]!;
    const answers = (into.flags & 0x12) === 0x12;
    into.number = answers ? (u32(data, header + 8) + 0xffffffff) % 0x100000000 : u32(data, header + 4);
  }
  return true;
}

const u16 = (data: Uint8Array, at: number): number => data[at]! * 256 + data[at + 1]!;
const u32 = (data: Uint8Array, at: number): number => u16(data, at) * 65536 + u16(data, at + 2);

/** Where an untagged frame's IPv4 header begins, or -1. */
function headerAt(data: Uint8Array, from: number, linkType: number): number {
  switch (linkType) {
    case LINKTYPE.ethernet:
      return u16(data, from + 12) === 0x0800 ? from + 14 : -1;
    case LINKTYPE.cooked:
      return u16(data, from + 14) === 0x0800 ? from + 16 : -1;
    case LINKTYPE.cooked2:
      return u16(data, from) === 0x0800 ? from + 20 : -1;
    case LINKTYPE.raw:
    case LINKTYPE.ipv4:
      return from;
    default:
      return -1;
  }
}
