import { type Device, type Packet, portKey, type Stack } from "../../model/index.ts";
import { formatAddress, isIpv4, PROTO } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { kernelSince } from "../kernel/kernel-version.ts";
import type { Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import type { RouteResult } from "../route/route-result.ts";

/** How an open connection was heard last: by which device, and how that was routed (sk_rx_dst_ifindex, sk_rx_dst). */
export interface Heard {
  readonly device: string;
  readonly route: RouteResult | undefined;
  readonly stack: Stack;
}

const endsOf = ({ src, sport, dst, dport }: Packet): string =>
  `${formatAddress(dst)} ${portKey(dport)} ${formatAddress(src)} ${portKey(sport)}`;

/** Follows inet_sk_rx_dst_set(). Without rules of nft, and where nothing changes under way (a walk of one question), nobody asks. */
export function noteHeard({ heard, stack, network }: Kernel, { packet, dev, route }: Skb): void {
  if (stack.netfilter.nft === undefined && network.lingers === undefined) return;
  if (packet.protocol === PROTO.tcp && dev !== undefined) heard.set(endsOf(packet), { device: dev.name, route, stack });
}

/** A connection is over: `packet` is one for it. */
export const forgetHeard = (kernel: Kernel, packet: Packet): boolean => kernel.heard.delete(endsOf(packet));

/**
 * Follows tcp_v4_early_demux() and tcp_v6_early_demux(): what is for an open connection has its socket before INPUT, found by the addresses it has then, and comes by
 * the device that the connection was heard by: it takes the same route without being looked up or validated again, until routes, rules or addresses change (dst_check()).
 * While nothing changes it would be looked up alike. nft_fib_can_skip() asks nothing of it.
 */
export function tcpEarlyDemux(kernel: Kernel, skb: Skb, device: Device): void {
  const { packet } = skb;
  skb.heard = false;
  if (kernel.heard.size === 0 || packet.protocol !== PROTO.tcp || packet.fragment !== undefined) return;
  const seen = kernel.stack.netfilter.nft !== undefined && fibSkips(kernel);
  if (!kernel.changed && !seen) return;
  const heard = kernel.heard.get(endsOf(packet));
  if (heard?.device !== device.name || !DEMUX.every((key) => sysctl(kernel, key).value !== "0")) return;
  skb.heard = seen;
  if (kernel.changed && isIpv4(packet.dst) && isRoutedAlike(heard.stack, kernel.stack)) skb.route = heard.route;
}

/** nft_fib_can_skip() looks at sockets, and at INPUT: since 6.15, 6.14.5 and 6.12.26. */
export const fibSkips = (kernel: Kernel): boolean => kernelSince(kernel, 6, 15, { 12: 26, 14: 5 });

const DEMUX = ["net.ipv4.ip_early_demux", "net.ipv4.tcp_early_demux"] as const;

/** rt_cache_flush(): rp_filter is not among what does it. */
const isRoutedAlike = (a: Stack, b: Stack): boolean =>
  a.routeTables === b.routeTables &&
  a.routingRules === b.routingRules &&
  a.devices === b.devices &&
  FLUSHING.every((key) => sameValues(a, b, key));

const FLUSHING = [/\.forwarding$|^net\.ipv4\.ip_forward$/, /\.accept_local$/, /\.route_localnet$/];

const sameValues = (a: Stack, b: Stack, key: RegExp): boolean =>
  a.sysctls === b.sysctls ||
  [...b.sysctls].every(([k, { value }]) => !key.test(k) || a.sysctls.get(k)?.value === value);
