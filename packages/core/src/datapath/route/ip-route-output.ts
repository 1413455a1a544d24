import type { Device } from "../../model/index.ts";
import { type Address, isIpv4, isLoopback } from "../../net/index.ts";
import { ip6RouteOutput } from "../ipv6/ip6-route-output.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { devConfFlag } from "../kernel/sysctl.ts";
import { alongRoute, type FlowKey, fibLookup } from "./fib.ts";
import { fibSelectDefault } from "./fib-select-default.ts";
import { fibSelectPath } from "./fib-select-path.ts";
import { inetSelectAddr, SCOPE_LINK } from "./inet-select-addr.ts";
import { isRouteError, type RouteError, type RouteResult } from "./route-result.ts";

/**
 * Routes a packet this stack sends. Follows ip_route_output_key_hash_rcu() and __mkroute_output() (net/ipv4/route.c):
 * what is local goes to lo, a bound device without a route is taken to be on-link, and 127/8 stays inside.
 */
export function ipRouteOutput(kernel: Kernel, key: Omit<FlowKey, "iif">): RouteResult | RouteError {
  if (!isIpv4(key.daddr)) return ip6RouteOutput(kernel, key);
  const bound = key.oif === undefined ? undefined : kernel.device(key.oif);
  if (key.oif !== undefined && (bound === undefined || bound.up === false)) {
    return { type: "error", errno: "ENETUNREACH", origins: bound === undefined ? [] : [bound.origin] };
  }
  const own = fromHere(key);
  const found = fibLookup(kernel, own);
  if (isRouteError(found)) {
    return bound === undefined ? found : checked(kernel, key, onlink(kernel, key, bound));
  }
  if (found.type !== "local") {
    const other = fibSelectDefault(kernel, key, found);
    const path = other === undefined ? fibSelectPath(kernel, found, own) : alongRoute(kernel, found, other);
    return checked(kernel, key, redirected(kernel, key.daddr, path));
  }
  const lo = kernel.stack.devices.items.find((d) => d.kind === "loopback");
  // To an address of its own a packet comes from that very address, unless the local route names another.
  const source = found.route?.prefSrc ?? key.daddr;
  return { ...found, source, iif: found.device.name, ...(lo !== undefined && { device: lo }) };
}

/** Field by field: it is made for every look-up, and a copy of an object takes ten times as long. */
const fromHere = (key: Omit<FlowKey, "iif">): FlowKey => ({
  daddr: key.daddr,
  saddr: key.saddr,
  iif: "lo",
  oif: key.oif,
  mark: key.mark,
  tos: key.tos,
  protocol: key.protocol,
  sport: key.sport,
  dport: key.dport,
  uid: key.uid,
});

/** rt_bind_exception(): by the gateway that a redirect named, where the route has one at all. */
function redirected(kernel: Kernel, daddr: Address, path: RouteResult): RouteResult {
  const gateway = kernel.redirected.size === 0 ? undefined : kernel.redirected.get(daddr);
  return gateway === undefined || path.gateway === undefined ? path : { ...path, gateway };
}

function onlink(kernel: Kernel, key: Omit<FlowKey, "iif">, device: Device): RouteResult {
  const source = key.saddr ?? inetSelectAddr(kernel, device, undefined, SCOPE_LINK)?.address;
  return { type: "unicast", device, ...(source !== undefined && { source }), table: "none", origins: [device.origin] };
}

function checked(kernel: Kernel, key: Omit<FlowKey, "iif">, found: RouteResult): RouteResult | RouteError {
  const source = key.saddr ?? found.source;
  if (
    source !== undefined &&
    isLoopback(source) &&
    found.device.kind !== "loopback" &&
    !devConfFlag(kernel, "route_localnet", found.device.name)
  ) {
    return { type: "error", errno: "EINVAL", origins: found.origins };
  }
  return found;
}
