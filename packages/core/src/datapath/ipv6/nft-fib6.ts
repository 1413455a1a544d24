import type { Device } from "../../model/index.ts";
import { isMulticast, isUnspecified } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import type { AddrType } from "../route/fib.ts";
import { isRouteError, type RouteError, type RouteResult } from "../route/route-result.ts";
import { isLinkLocal6 } from "./addr-type.ts";
import { fib6Lookup } from "./fib6.ts";
import { hasAddress } from "./icmpv6-send.ts";

export interface Fib6Question {
  readonly address: "source" | "destination";
  readonly bound: Device | undefined;
  /** What `iif` of a routing rule is compared with. */
  readonly iif: string;
  /** Whether the packet's mark is looked at. */
  readonly mark: boolean;
}

/** nft_fib6_flowi_init(): the source is asked for the way back. */
function lookUp(kernel: Kernel, { packet, mark }: Skb, q: Fib6Question): RouteResult | RouteError {
  const [daddr, saddr] = q.address === "source" ? [packet.src, packet.dst] : [packet.dst, packet.src];
  const near = isLinkLocal6(daddr) && q.bound !== undefined;
  return fib6Lookup(kernel, {
    daddr,
    saddr: isMulticast(saddr) || isUnspecified(saddr) ? undefined : saddr,
    iif: q.iif,
    ...(near && { oif: q.bound!.name }),
    mark: q.mark ? mark : 0,
    tos: packet.tos,
    protocol: packet.protocol,
    onlyDevice: near,
  });
}

/** Follows __nft_fib6_eval_type() (nft_fib_ipv6.c): unlike IPv4 a whole look-up, which may find nothing. */
export function fib6Type(kernel: Kernel, skb: Skb, q: Fib6Question): AddrType {
  const address = q.address === "source" ? skb.packet.src : skb.packet.dst;
  if (isMulticast(address)) return "MULTICAST";
  const found = lookUp(kernel, skb, q);
  if (isRouteError(found))
    return found.errno === "EINVAL" ? "BLACKHOLE" : found.errno === "EACCES" ? "PROHIBIT" : "UNREACHABLE";
  if (found.anycast) return "ANYCAST";
  if (q.bound !== undefined) return hasAddress(kernel, address, q.bound) ? "LOCAL" : "UNICAST";
  return found.type === "local" ? "LOCAL" : "UNICAST";
}

/** Follows nft_fib6_eval(): the device of the route; of the one asked for only if it is that. */
export function fib6Device(kernel: Kernel, skb: Skb, q: Fib6Question): Device | undefined {
  const { src, dst, icmp } = skb.packet;
  // nft_fib_v6_skip_icmpv6(): who has no address yet may ask for its neighbours.
  if (icmp !== undefined && isUnspecified(src) && (isMulticast(dst) || isLinkLocal6(dst))) return q.bound ?? skb.dev;
  const found = lookUp(kernel, skb, q);
  if (isRouteError(found) || found.type !== "unicast") return undefined;
  return q.bound === undefined || q.bound.name === found.device.name ? found.device : undefined;
}
