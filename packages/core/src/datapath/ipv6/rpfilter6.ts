import type { Device, RpfilterMatch } from "../../model/index.ts";
import { isMulticast, isUnspecified } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { isRouteError } from "../route/route-result.ts";
import { isLinkLocal6 } from "./addr-type.ts";
import { fib6Lookup } from "./fib6.ts";

/** Follows rpfilter_mt() and rpfilter_lookup_reverse6() (ip6t_rpfilter.c): IPv6 has no such sysctl. */
export function rpfilter6(kernel: Kernel, { packet, mark }: Skb, device: Device, m: RpfilterMatch): boolean {
  if (isUnspecified(packet.src)) return true;
  const near = isLinkLocal6(packet.src);
  const back = fib6Lookup(kernel, {
    daddr: packet.src,
    saddr: isMulticast(packet.dst) ? undefined : packet.dst,
    iif: "lo",
    ...((near || !m.loose) && { oif: device.name }),
    mark: m.validMark ? mark : 0,
    tos: packet.tos,
    protocol: packet.protocol,
    onlyDevice: near,
  });
  if (isRouteError(back) || back.anycast) return false;
  if (back.type === "local") return m.acceptLocal;
  return m.loose || back.device.name === device.name;
}
