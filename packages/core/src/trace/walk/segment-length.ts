import {
  dstMtu,
  ipRouteOutput,
  isRouteError,
  isTooBig,
  type Kernel,
  sysctl,
  tcpHeaders,
} from "../../datapath/index.ts";
import { innermost, type Packet } from "../../model/index.ts";
import { type Address, isIpv4, PROTO } from "../../net/index.ts";
import type { LegRecord } from "./leg-record.ts";

/** The IP and TCP headers with the timestamps that every segment carries. */
const SEGMENT_HEADERS = 52;
/** net.ipv4.tcp_mtu_probe_floor as it stands by default. */
const PROBE_FLOOR = 48;

/** How long a segment may be at first. Follows tcp_sync_mss(): the MTU of the route, and what the peer announced. */
export function segmentLength(
  from: Kernel,
  packet: Packet,
  peerMss: number | undefined,
  socket: { readonly mark: number; readonly oif?: string } = { mark: 0 },
): number {
  const { src: saddr, dst: daddr, length } = packet;
  const route = ipRouteOutput(from, { daddr, saddr, tos: 0, protocol: PROTO.tcp, ...socket });
  const mtu = isRouteError(route) ? length : dstMtu(from, route, daddr, length);
  return Math.min(length, mtu, peerMss === undefined ? length : Math.max(peerMss, PROBE_FLOOR) + tcpHeaders(daddr));
}

/** Length of the last of the segments of `length` that a packet is cut into, where it is shorter than they are. */
export function tailOf({ dst, length: whole }: Packet, length: number): number | undefined {
  const headers = isIpv4(dst) ? SEGMENT_HEADERS : SEGMENT_HEADERS + 20;
  const rest = (whole - headers) % (length - headers);
  return rest === 0 ? undefined : rest + headers;
}

/**
 * Follows tcp_mtu_probing() (net/ipv4/tcp_timer.c): told to look for black holes, TCP sends less after some timeouts, and half of it
 * each further time. Gives the next length below one that got no answer; undefined: it does not try.
 */
export function mtuProbes(from: Kernel): (length: number) => number | undefined {
  return (length) => {
    if (length <= PROBE_FLOOR + SEGMENT_HEADERS || sysctl(from, "net.ipv4.tcp_mtu_probing").value === "0")
      return undefined;
    let mss = Number(sysctl(from, "net.ipv4.tcp_base_mss").value);
    while (mss + SEGMENT_HEADERS >= length) mss >>= 1;
    return Math.max(mss, PROBE_FLOOR) + SEGMENT_HEADERS;
  };
}

/** Whether nobody told the sender what became of its segment. */
export const lostInSilence = (error: LegRecord | undefined): boolean =>
  error === undefined || error.end.kind !== "delivered" || error.end.skb.packet.icmp !== undefined;

/**
 * What an ICMP error that reached the sender says the path carries of its own packet. Follows tcp_v4_mtu_reduced(), and for what a
 * tunnel of the sender's wraps skb_tunnel_check_pmtu().
 */
export function announcedMtu({ end }: LegRecord, from: Kernel, sent: Packet): number | undefined {
  if (end.kind !== "delivered" || end.kernel !== from || !learnsPathMtu(from, sent.dst)) return undefined;
  const { icmp } = end.skb.packet;
  if (!isTooBig(end.skb.packet) || icmp?.mtu === undefined || icmp.inner === undefined) return undefined;
  const quoted = innermost(icmp.inner);
  return mirrors(quoted, sent) ? icmp.mtu - (icmp.inner.length - quoted.length) : undefined;
}

/**
 * Whether a connection that is open learns what its path carries. Who calls an address of his own that is on another device than lo (kube-ipvs0) has a route that nobody
 * keeps (__mkroute_output(): do_cache), so what __ip_rt_update_pmtu() notes does not invalidate it, and tcp_v4_mtu_reduced() finds the path as wide as before.
 */
export function learnsPathMtu(from: Kernel, daddr: Address): boolean {
  if (!isIpv4(daddr)) return true;
  const holders = from.stack.devices.items.filter((d) => d.addresses.some((a) => a.prefix.address === daddr));
  return holders.length === 0 || holders.some((d) => d.kind === "loopback");
}

/** Whether somebody told the end of a tunnel, not the sender, that what carries the sender's packet is too long. */
export function isForTunnel(error: LegRecord | undefined, from: Kernel, sent: Packet): boolean {
  const end = error?.end;
  if (end?.kind !== "delivered" || end.kernel === from) return false;
  const { icmp, src, dst } = end.skb.packet;
  // Its own word is nothing new to it.
  if (!isTooBig(end.skb.packet) || icmp?.inner?.carried === undefined || src === dst) return false;
  return mirrors(innermost(icmp.inner), sent);
}

/** The same ends. */
export const mirrors = (a: Packet, b: Packet): boolean =>
  a.src === b.src &&
  a.dst === b.dst &&
  a.dport === b.dport &&
  (a.sport === b.sport || JSON.stringify(a.sport) === JSON.stringify(b.sport));
