import { isLaterFragment, type Packet, type Port, type PortSet, TCP } from "../../../model/index.ts";
import { bytesOf, hasPorts, isIpv4, PROTO } from "../../../net/index.ts";

/** A byte of a packet as it lies in memory; undefined: the model does not have it (sequence numbers, checksums, what is carried). */
export type HeaderByte = number | undefined;

/** The network header and what is known behind it. Reading past the end of it is reading something unknown, up to `packet.length`. */
export function headerBytes(packet: Packet): readonly HeaderByte[] {
  return [...(isIpv4(packet.src) ? ipv4Header(packet) : ipv6Header(packet)), ...transportHeader(packet)];
}

/** Where ports lie of which only the range is known. */
export function portsAt(packet: Packet): readonly { readonly port: PortSet; readonly offset: number }[] {
  if (isLaterFragment(packet) || !hasPorts(packet.protocol)) return [];
  const start = isIpv4(packet.src) ? 20 : 40;
  return [packet.sport, packet.dport].flatMap((port, i) =>
    typeof port === "number" ? [] : [{ port, offset: start + 2 * i }],
  );
}

const twoBytes = (value: number | undefined): readonly HeaderByte[] =>
  value === undefined ? [undefined, undefined] : [(value >> 8) & 255, value & 255];

const portBytes = (port: Port): readonly HeaderByte[] => twoBytes(typeof port === "number" ? port : undefined);

function ipv4Header({ src, dst, protocol, ttl, tos, length, df, fragment }: Packet): readonly HeaderByte[] {
  const flags = (df ? 0x4000 : 0) | (fragment?.more === true ? 0x2000 : 0) | ((fragment?.offset ?? 0) >> 3);
  return [
    ...[0x45, tos, ...twoBytes(length)],
    ...[undefined, undefined, ...twoBytes(flags)],
    ...[ttl, protocol, undefined, undefined],
    ...bytesOf(src),
    ...bytesOf(dst),
  ];
}

function ipv6Header({ src, dst, protocol, ttl, tos, length }: Packet): readonly HeaderByte[] {
  // The flow label is a hash, or nothing.
  return [
    ...[0x60 | (tos >> 4), undefined, undefined, undefined],
    ...[...twoBytes(length - 40), protocol, ttl],
    ...bytesOf(src),
    ...bytesOf(dst),
  ];
}

const UNKNOWN4: readonly HeaderByte[] = [undefined, undefined, undefined, undefined];

function transportHeader(packet: Packet): readonly HeaderByte[] {
  const { protocol, sport, dport, tcpFlags, icmp, length, src } = packet;
  if (isLaterFragment(packet)) return [];
  const payload = length - (isIpv4(src) ? 20 : 40);
  if (icmp !== undefined)
    return [icmp.type, icmp.code, undefined, undefined, ...portBytes(icmp.id), undefined, undefined];
  if (protocol === PROTO.udp) return [...portBytes(sport), ...portBytes(dport), ...twoBytes(payload)];
  if (protocol !== PROTO.tcp) return [];
  // The header of a SYN is all it has; whether another segment has options hangs on what both ends agreed to.
  const words = (tcpFlags & TCP.SYN) !== 0 ? payload >> 2 : (tcpFlags & TCP.RST) !== 0 ? 5 : undefined;
  return [
    ...[...portBytes(sport), ...portBytes(dport), ...UNKNOWN4, ...UNKNOWN4],
    ...[words === undefined ? undefined : words << 4, tcpFlags & 255],
  ];
}
