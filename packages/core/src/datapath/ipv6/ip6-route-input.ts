import type { Device } from "../../model/index.ts";
import { hasPorts } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { recordRoute } from "../route/record-route.ts";
import type { RouteError, RouteResult } from "../route/route-result.ts";
import { needsDevice } from "./addr-type.ts";
import { fib6Lookup } from "./fib6.ts";

/** Follows ip6_route_input() (net/ipv6/route.c). There is no source validation. Addresses are those after PREROUTING. */
export function ip6RouteInput(kernel: Kernel, skb: Skb, device: Device): RouteResult | RouteError {
  const { src, dst, tos, protocol, sport, dport } = skb.packet;
  const found = fib6Lookup(kernel, {
    daddr: dst,
    saddr: src,
    iif: device.name,
    mark: skb.mark,
    tos,
    protocol,
    ...(hasPorts(protocol) && { sport, dport }),
    onlyDevice: needsDevice(dst),
  });
  recordRoute(kernel, skb, "input", found);
  return found;
}
