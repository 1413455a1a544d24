import { type Packet, sentWith, TCP } from "../../model/index.ts";
import { isIpv4, PROTO } from "../../net/index.ts";
import { flowi6Hash } from "../ipv6/flowi6-hash.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import { dstHoplimit } from "../route/dst-hoplimit.ts";
import { dstMtu, isMtuLocked, LEAST_MTU } from "../route/dst-mtu.ts";
import type { RouteResult } from "../route/route-result.ts";
import { advertisedMss } from "./tcp-mss.ts";

/**
 * The header of a packet that a socket of this stack sends by this route: TTL, DF and, in a SYN, the MSS. Follows ip_queue_xmit()
 * for TCP and __ip_make_skb() for the rest, where only what fits has DF.
 */
export function finishHeader(kernel: Kernel, skb: Skb, route: RouteResult): void {
  const { packet } = skb;
  // __tcp_v4_send_check(), udp4_hwcsum(); a RST of no socket is summed at once (ip_send_unicast_reply()).
  if (packet.protocol === PROTO.udp || (packet.protocol === PROTO.tcp && (packet.tcpFlags & TCP.RST) === 0))
    skb.checksumLeft = true;
  if (!isIpv4(packet.dst)) {
    finishHeader6(kernel, skb, route);
    return;
  }
  const fits = packet.protocol === PROTO.tcp || packet.length <= dstMtu(kernel, route, packet.dst, packet.length);
  const ttl = dstHoplimit(kernel, route);
  const df = fits && discoversPath(kernel, packet, route);
  const mss = (packet.tcpFlags & TCP.SYN) === 0 ? packet.mss : advertisedMss(kernel, route, packet.dst);
  skb.packet = sentWith(packet, ttl, df, mss);
  // ip_sk_ignore_df(): who does not insist on DF may be cut where the route turns out narrower.
  if (packet.protocol === PROTO.udp || packet.protocol === PROTO.icmp) skb.ignoreDf = true;
}

/**
 * Follows ip6_xmit() and __ip6_make_skb(): nobody on the way cuts an IPv6 packet; what is too long for the sender's own link it cuts
 * itself, TCP's aside. `df` says which.
 */
function finishHeader6(kernel: Kernel, skb: Skb, route: RouteResult): void {
  const { packet } = skb;
  const fits = packet.length <= dstMtu(kernel, route, packet.dst, packet.length);
  skb.hash ??= flowi6Hash(packet);
  skb.packet = {
    ...packet,
    ttl: dstHoplimit(kernel, route),
    df: packet.protocol === PROTO.tcp || fits,
    ...(packet.tcpFlags & TCP.SYN && { mss: advertisedMss(kernel, route, packet.dst) }),
  };
}

/**
 * ip_dont_fragment(): sockets discover the path's MTU unless they are told not to or the route's is locked; the kernel's own ICMP
 * socket never does. What fits every link shows no difference, so that nobody need show the switch.
 */
function discoversPath(kernel: Kernel, { icmp, length }: Packet, route: RouteResult): boolean {
  if ((icmp !== undefined && icmp.type !== ECHO_REQUEST) || isMtuLocked(route)) return false;
  if (length <= LEAST_MTU && !kernel.stack.sysctls.has(NO_PMTU_DISC)) return true;
  return sysctl(kernel, NO_PMTU_DISC).value === "0";
}

const ECHO_REQUEST = 8;
const NO_PMTU_DISC = "net.ipv4.ip_no_pmtu_disc";
