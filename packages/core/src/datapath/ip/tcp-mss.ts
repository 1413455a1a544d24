import { type Address, isIpv4 } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import { dstMtu } from "../route/dst-mtu.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { isRouteError, type RouteResult } from "../route/route-result.ts";

/** The IP and TCP headers without options, which an MSS does not count. */
export const tcpHeaders = (daddr: Address): number => (isIpv4(daddr) ? 40 : 60);

/** The MSS that a SYN or SYN-ACK announces: the route's advmss, else what its MTU leaves. Follows ipv4_default_advmss(). */
export const advertisedMss = (kernel: Kernel, route: RouteResult, daddr: Address): number =>
  route.route?.advmss ?? Math.max(dstMtu(kernel, route, daddr) - tcpHeaders(daddr), leastMss(kernel, daddr));

const leastMss = (kernel: Kernel, daddr: Address): number =>
  Number(sysctl(kernel, isIpv4(daddr) ? "net.ipv4.route.min_adv_mss" : "net.ipv6.route.min_adv_mss").value);

/**
 * What both ways of a connection carry by the routes of a stack in its middle. Follows tcpmss_reverse_mtu() (xt_TCPMSS.c) and
 * get_tcpmss() (nft_rt.c): the MTU there, and that of a route back to the source. Undefined: not even the headers fit.
 */
export function mssOfPath(kernel: Kernel, { packet, route, nfBridge, dev }: Skb): number | undefined {
  if (route === undefined && nfBridge === undefined) return undefined;
  const back = ipRouteOutput(kernel, { daddr: packet.src, saddr: undefined, mark: 0, tos: 0, protocol: 0 });
  // What a bridge hands on has its fake_rtable for a route (br_netfilter_rtable_init).
  const there = route === undefined ? (dev?.mtu ?? 1500) : dstMtu(kernel, route, packet.dst);
  const mtu = isRouteError(back) ? there : Math.min(there, dstMtu(kernel, back, packet.src));
  const headers = tcpHeaders(packet.dst);
  return mtu > headers ? mtu - headers : undefined;
}

/** An MSS option is only ever made smaller. */
export function lowerMss(skb: Skb, mss: number): void {
  const { packet } = skb;
  if (packet.mss !== undefined && packet.mss > mss) skb.packet = { ...packet, mss };
}
