import type { IcmpHeader } from "../../model/index.ts";
import { type Address, isIpv4 } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import type { RouteResult } from "./route-result.ts";

const IP_MAX_MTU = 65535;
/** Every link carries this much (RFC 8200). */
export const LEAST_MTU = 1280;

/** `mtu lock` on a route: what ICMP errors say of its path is not believed, and its packets have no DF (dst_metric_locked). */
export const isMtuLocked = ({ route }: RouteResult): boolean => route?.locked?.includes("mtu") === true;

/**
 * What a router sends by this route: its mtu, else its device's. Where nobody showed it, what fits every link is known to pass. In IPv6 the route's own counts
 * here if it is locked (ip6_dst_mtu_maybe_forward()), and else on the way out.
 */
export function forwardMtu(kernel: Kernel, route: RouteResult, daddr: Address, length: number): number {
  if (!isIpv4(daddr)) {
    const { mtu: _, ...unlocked } = route;
    return routeMtu6(kernel, isMtuLocked(route) ? route : unlocked, length);
  }
  const usesLearnt = kernel.pathMtu.has(daddr) && sysctl(kernel, "net.ipv4.ip_forward_use_pmtu").value !== "0";
  return usesLearnt ? dstMtu(kernel, route, daddr, length) : routeMtu(kernel, route, length);
}

/** What this stack sends by a route of its own: less, where an ICMP error said so. Follows ipv4_mtu(). */
export function dstMtu(kernel: Kernel, route: RouteResult, daddr: Address, length = 0): number {
  // __ip6_rt_update_pmtu(): IPv6 has to discover its paths, and no lock keeps it from it.
  const learnt = isIpv4(daddr) && isMtuLocked(route) ? undefined : kernel.pathMtu.get(daddr);
  if (!isIpv4(daddr)) return Math.max(LEAST_MTU, Math.min(learnt ?? IP_MAX_MTU, routeMtu6(kernel, route, length)));
  return learnt ?? routeMtu(kernel, route, length);
}

/** Follows ip6_mtu() and ip6_dst_mtu_maybe_forward(): the smallest of the route's, the link's and net.ipv6.conf.DEV.mtu, and never less than 1280. */
function routeMtu6(kernel: Kernel, route: RouteResult, length: number): number {
  const { device } = route;
  const own = kernel.stack.sysctls.get(`net.ipv6.conf.${device.name.replace(/\./g, "/")}.mtu`)?.value;
  const link = own === undefined ? IP_MAX_MTU : Number(own);
  const shown = Math.min(link, device.mtu ?? IP_MAX_MTU, route.mtu ?? IP_MAX_MTU);
  return Math.max(LEAST_MTU, shown < IP_MAX_MTU ? shown : routeMtu(kernel, route, length));
}

function routeMtu({ stack, oracle }: Kernel, { mtu, device }: RouteResult, length: number): number {
  const shown = mtu ?? device.mtu;
  if (shown !== undefined) return Math.min(shown, IP_MAX_MTU);
  if (length <= LEAST_MTU || stack.assumed !== undefined || stack.fromObjects === true) return IP_MAX_MTU;
  return oracle.rests({ kind: "mtu", stack: stack.name, device: device.name }) ? IP_MAX_MTU : LEAST_MTU;
}

/**
 * A tunnel says of every packet how much of its like it carries, whether this one fits or not (tnl_update_pmtu(), ip6_tnl_xmit()). Follows __ip_rt_update_pmtu()
 * and __ip6_rt_update_pmtu().
 */
export function noteTunnelMtu(kernel: Kernel, { packet, route }: Skb, mtu: number): void {
  if (route === undefined || (isIpv4(packet.dst) && isMtuLocked(route))) return;
  // How much a device takes that nobody showed stays open.
  if ((route.mtu ?? route.device.mtu) === undefined || dstMtu(kernel, route, packet.dst) <= mtu) return;
  const least = isIpv4(packet.dst) ? Number(sysctl(kernel, "net.ipv4.route.min_pmtu").value) : LEAST_MTU;
  kernel.pathMtu.set(packet.dst, Math.max(mtu, least));
}

/**
 * Fragmentation needed or packet too big reached a stack. Follows icmp_unreach() and __ip_rt_update_pmtu(): believed unless it is told not to discover, which IPv6
 * cannot be. True: it is news.
 */
export function takePathMtu(kernel: Kernel, { inner, mtu }: IcmpHeader): boolean {
  const { stack, pathMtu } = kernel;
  if (inner === undefined || mtu === undefined) return false;
  const told = stack.sysctls.get("net.ipv4.ip_no_pmtu_disc")?.value ?? "0";
  if (isIpv4(inner.dst) && ["1", "2"].includes(told)) return false;
  const announced = Math.max(mtu, Number(sysctl(kernel, "net.ipv4.route.min_pmtu").value));
  const known = pathMtu.get(inner.dst);
  pathMtu.set(inner.dst, Math.min(announced, known ?? announced));
  return known === undefined || announced < known;
}
