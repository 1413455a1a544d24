import { type Address, bytesOf, isIpv4, type Mac, PROTO } from "@hairpin/core/net/index.ts";

/** What is asked of an injected packet; the rest is filled in so that the kernel takes it for sound. */
export interface PacketSpec {
  readonly src: Address;
  readonly dst: Address;
  readonly protocol: number;
  readonly sport?: number;
  readonly dport?: number;
  /** TCP header bits. */
  readonly flags?: number;
  readonly seq?: number;
  readonly ack?: number;
  readonly icmp?: { readonly type: number; readonly code: number; readonly id?: number; readonly seq?: number };
  /** Quoted by an ICMP error. */
  readonly inner?: PacketSpec;
  readonly ttl?: number;
  readonly tos?: number;
  readonly id?: number;
  readonly df?: boolean;
  /** Bytes behind the transport header. */
  readonly size?: number;
}

const bufferOf = (address: Address): Buffer => Buffer.from(bytesOf(address));

function checksum(...parts: readonly Buffer[]): number {
  const data = Buffer.concat(parts);
  let sum = 0;
  for (let i = 0; i < data.length; i += 2) sum += (data[i]! << 8) | (data[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum >>> 16) + (sum & 0xffff);
  return ~sum & 0xffff;
}

const pseudoHeader = (p: PacketSpec, length: number): Buffer => {
  const tail = Buffer.alloc(isIpv4(p.src) ? 4 : 8);
  if (isIpv4(p.src)) {
    tail[1] = p.protocol;
    tail.writeUInt16BE(length, 2);
  } else {
    tail.writeUInt32BE(length, 0);
    tail[7] = p.protocol;
  }
  return Buffer.concat([bufferOf(p.src), bufferOf(p.dst), tail]);
};

function transport(p: PacketSpec): Buffer {
  const payload = Buffer.alloc(p.size ?? 0, "x");
  if (p.protocol === PROTO.tcp) {
    const head = Buffer.alloc(20);
    head.writeUInt16BE(p.sport ?? 0, 0);
    head.writeUInt16BE(p.dport ?? 0, 2);
    head.writeUInt32BE(p.seq ?? 1000, 4);
    head.writeUInt32BE(p.ack ?? 0, 8);
    head[12] = 5 << 4;
    head[13] = p.flags ?? 2;
    head.writeUInt16BE(65535, 14);
    const all = Buffer.concat([head, payload]);
    all.writeUInt16BE(checksum(pseudoHeader(p, all.length), all), 16);
    return all;
  }
  if (p.protocol === PROTO.udp) {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(p.sport ?? 0, 0);
    head.writeUInt16BE(p.dport ?? 0, 2);
    head.writeUInt16BE(8 + payload.length, 4);
    const all = Buffer.concat([head, payload]);
    all.writeUInt16BE(checksum(pseudoHeader(p, all.length), all) || 0xffff, 6);
    return all;
  }
  if (p.icmp !== undefined) {
    const head = Buffer.alloc(8);
    head[0] = p.icmp.type;
    head[1] = p.icmp.code;
    head.writeUInt16BE(p.icmp.id ?? 0, 4);
    head.writeUInt16BE(p.icmp.seq ?? 0, 6);
    const quoted = p.inner === undefined ? payload : packetBytes(p.inner).subarray(0, 548);
    const all = Buffer.concat([head, quoted]);
    const pseudo = p.protocol === PROTO.icmp6 ? [pseudoHeader(p, all.length)] : [];
    all.writeUInt16BE(checksum(...pseudo, all), 2);
    return all;
  }
  return payload;
}

/** A whole IP packet with right lengths and checksums. */
export function packetBytes(p: PacketSpec): Buffer {
  const body = transport(p);
  if (isIpv4(p.src)) {
    const head = Buffer.alloc(20);
    head[0] = 0x45;
    head[1] = p.tos ?? 0;
    head.writeUInt16BE(20 + body.length, 2);
    head.writeUInt16BE(p.id ?? 0x1234, 4);
    head.writeUInt16BE(p.df === true ? 0x4000 : 0, 6);
    head[8] = p.ttl ?? 64;
    head[9] = p.protocol;
    bufferOf(p.src).copy(head, 12);
    bufferOf(p.dst).copy(head, 16);
    head.writeUInt16BE(checksum(head), 10);
    return Buffer.concat([head, body]);
  }
  const head = Buffer.alloc(40);
  const tos = p.tos ?? 0;
  head[0] = 0x60 | (tos >> 4);
  head[1] = (tos & 15) << 4;
  head.writeUInt16BE(body.length, 4);
  head[6] = p.protocol;
  head[7] = p.ttl ?? 64;
  bufferOf(p.src).copy(head, 8);
  bufferOf(p.dst).copy(head, 24);
  return Buffer.concat([head, body]);
}

const macBytes = (mac: Mac): Buffer => Buffer.from(mac.replace(/:/g, ""), "hex");

/** An Ethernet frame around it. */
export function frameBytes(destination: Mac, source: Mac, p: PacketSpec, vlan?: number): Buffer {
  const tag = Buffer.alloc(vlan === undefined ? 0 : 4);
  if (vlan !== undefined) {
    tag.writeUInt16BE(0x8100, 0);
    tag.writeUInt16BE(vlan, 2);
  }
  const type = Buffer.alloc(2);
  type.writeUInt16BE(isIpv4(p.src) ? 0x0800 : 0x86dd);
  return Buffer.concat([macBytes(destination), macBytes(source), tag, type, packetBytes(p)]);
}
