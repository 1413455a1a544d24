import type { Device } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { FlowKey } from "../route/fib.ts";
import { isRouteError, type RouteError, type RouteResult } from "../route/route-result.ts";
import { needsDevice } from "./addr-type.ts";
import { fib6Lookup } from "./fib6.ts";
import { ipv6DevGetSaddr } from "./ipv6-dev-get-saddr.ts";

/**
 * Routes a packet this stack sends. Follows ip6_dst_lookup_tail() and ip6_route_output_flags() (net/ipv6): without a source a first
 * look-up chooses one by its route, and its result stands; only where it failed is it looked up again with the source.
 */
export function ip6RouteOutput(kernel: Kernel, key: Omit<FlowKey, "iif">): RouteResult | RouteError {
  const { daddr, saddr, oif, preferred } = key;
  const lookUp = (onlyDevice: boolean, source = saddr): RouteResult | RouteError =>
    toLoopback(kernel, fib6Lookup(kernel, { ...key, saddr: source, iif: "lo", onlyDevice }));
  if (saddr !== undefined) return lookUp((oif !== undefined && preferred !== true) || needsDevice(daddr));
  if (isIpv4(daddr)) return { type: "error", errno: "EINVAL", origins: [] };
  const first = lookUp(oif !== undefined || needsDevice(daddr));
  const chosen = isRouteError(first)
    ? ipv6DevGetSaddr(kernel, undefined, daddr)?.address
    : (first.route?.prefSrc ?? ipv6DevGetSaddr(kernel, nexthopDevice(kernel, first), daddr)?.address);
  // Also where there is no route: ip6_route_get_saddr() comes before the error of the look-up.
  if (chosen === undefined) return { type: "error", errno: "EADDRNOTAVAIL", origins: first.origins };
  const result = isRouteError(first) ? lookUp(oif !== undefined || needsDevice(daddr), chosen) : first;
  return isRouteError(result) ? result : { ...result, source: chosen };
}

/** The device a route names, also where what is local goes by lo. */
const nexthopDevice = (kernel: Kernel, { route, device }: RouteResult): Device =>
  kernel.device(route?.nexthops[0]?.device ?? device.name) ?? device;

/** ip6_rt_get_dev_rcu(): what is local goes by lo. Sockets take it to have come in by the device that has the address (rt6i_idev; ip6_rcv_core()). */
function toLoopback(kernel: Kernel, found: RouteResult | RouteError): RouteResult | RouteError {
  if (isRouteError(found) || found.type !== "local") return found;
  const lo = kernel.stack.devices.items.find((d) => d.kind === "loopback");
  return lo === undefined ? found : { ...found, iif: found.device.name, device: lo };
}
