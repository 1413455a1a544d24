import { hasPorts, ipv4At, ipv6At, type Mac, PROTO } from "@hairpin/core/net/index.ts";
import type { ArpMessage, ObservedPacket } from "../observation.ts";

export const macOf = (data: Buffer, at = 0): Mac =>
  [...data.subarray(at, at + 6)].map((b) => b.toString(16).padStart(2, "0")).join(":");

/** An IP packet, perhaps cut short by the capture length. Undefined if not even its header is there. */
export function decodePacket(data: Buffer): ObservedPacket | undefined {
  if (data.length === 0) return undefined;
  const version = data[0]! >> 4;
  return version === 4 ? decode4(data) : version === 6 ? decode6(data) : undefined;
}

function decode4(data: Buffer): ObservedPacket | undefined {
  const header = (data[0]! & 15) * 4;
  if (data.length < 20 || data.length < header) return undefined;
  const fragment = data.readUInt16BE(6);
  const length = data.readUInt16BE(2);
  return withTransport(data, header, data[9]!, length - header, {
    src: ipv4At(data, 12),
    dst: ipv4At(data, 16),
    protocol: data[9]!,
    ttl: data[8]!,
    tos: data[1]!,
    id: data.readUInt16BE(4),
    length,
    df: (fragment & 0x4000) !== 0,
    fragmentOffset: (fragment & 0x1fff) * 8,
  });
}

/** Extension headers that may stand before the transport header: hop-by-hop, routing, fragment, destination options. */
const EXTENSIONS: readonly number[] = [0, 43, 44, 60];

function decode6(data: Buffer): ObservedPacket | undefined {
  if (data.length < 40) return undefined;
  let next = data[6]!;
  let at = 40;
  let fragmentOffset = 0;
  while (EXTENSIONS.includes(next) && at + 8 <= data.length) {
    if (next === 44) fragmentOffset = data.readUInt16BE(at + 2) & 0xfff8;
    const size = next === 44 ? 8 : (data[at + 1]! + 1) * 8;
    next = data[at]!;
    at += size;
  }
  const length = data.readUInt16BE(4) + 40;
  return withTransport(data, at, next, length - at, {
    src: ipv6At(data, 8),
    dst: ipv6At(data, 24),
    protocol: next,
    ttl: data[7]!,
    tos: ((data[0]! & 15) << 4) | (data[1]! >> 4),
    id: 0,
    length,
    df: true,
    fragmentOffset,
  });
}

type Network = Omit<ObservedPacket, "sport" | "dport" | "flags" | "payload">;

function withTransport(data: Buffer, at: number, protocol: number, size: number, network: Network): ObservedPacket {
  const bare: ObservedPacket = { ...network, sport: 0, dport: 0, flags: 0, payload: Math.max(0, size) };
  const there = data.length - at;
  if (network.fragmentOffset > 0 || there < 4) return bare;
  if (protocol === PROTO.icmp || protocol === PROTO.icmp6) return { ...bare, ...icmpOf(data, at, protocol) };
  if (protocol === PROTO.ipip || protocol === 41) return withInner(bare, data.subarray(at));
  if (protocol === GRE) return withGre(bare, data.subarray(at));
  if (!hasPorts(protocol)) return bare;
  const ports = { sport: data.readUInt16BE(at), dport: data.readUInt16BE(at + 2) };
  if (protocol === PROTO.tcp && there >= 14) {
    return {
      ...bare,
      ...ports,
      flags: data[at + 13]! & 0x3f,
      seq: data.readUInt32BE(at + 4),
      ack: data.readUInt32BE(at + 8),
      payload: Math.max(0, size - (data[at + 12]! >> 4) * 4),
    };
  }
  const plain = { ...bare, ...ports, payload: Math.max(0, size - 8) };
  return protocol === PROTO.udp ? withVxlan(plain, data.subarray(at + 8)) : plain;
}

const withInner = (outer: ObservedPacket, data: Buffer): ObservedPacket => {
  const inner = decodePacket(data);
  return inner === undefined ? outer : { ...outer, inner };
};

export const GRE = 47;

/** RFC 2890: a checksum, a key and a sequence number each take four bytes more. */
function withGre(outer: ObservedPacket, data: Buffer): ObservedPacket {
  if (data.length < 4 || ![0x0800, 0x86dd].includes(data.readUInt16BE(2))) return outer;
  const optional = [0x80, 0x20, 0x10].filter((bit) => (data[0]! & bit) !== 0).length;
  return withInner(outer, data.subarray(4 + 4 * optional));
}

/** IANA's port and the kernel's. */
export const isVxlanPort = (port: number): boolean => port === 4789 || port === 8472;

/** VXLAN by its ports (IANA's and the kernel's) and its flags; the carried frame's IP packet becomes `inner`. */
function withVxlan(outer: ObservedPacket, data: Buffer): ObservedPacket {
  if (!isVxlanPort(outer.dport) || data.length < 22 || data[0] !== 8) return outer;
  const type = data.readUInt16BE(20);
  return type === 0x0800 || type === 0x86dd ? withInner(outer, data.subarray(22)) : outer;
}

const ERRORS_4: readonly number[] = [3, 4, 5, 11, 12];

function icmpOf(data: Buffer, at: number, protocol: number): Pick<ObservedPacket, "icmp" | "inner"> {
  const type = data[at]!;
  const code = data[at + 1]!;
  const error = protocol === PROTO.icmp ? ERRORS_4.includes(type) : type < 128;
  if (!error && data.length >= at + 8) {
    return { icmp: { type, code, id: data.readUInt16BE(at + 4), seq: data.readUInt16BE(at + 6) } };
  }
  const inner = error ? decodePacket(data.subarray(at + 8)) : undefined;
  return inner === undefined ? { icmp: { type, code } } : { icmp: { type, code }, inner };
}

export function decodeArp(data: Buffer): ArpMessage | undefined {
  if (data.length < 28 || data.readUInt16BE(2) !== 0x0800) return undefined;
  return {
    operation: data.readUInt16BE(6) === 1 ? "request" : "reply",
    senderMac: macOf(data, 8),
    sender: ipv4At(data, 14),
    targetMac: macOf(data, 18),
    target: ipv4At(data, 24),
  };
}
