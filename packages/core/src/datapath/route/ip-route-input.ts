import type { Decision, Device, Origin } from "../../model/index.ts";
import { type Address, ANY4, BROADCAST4, isLoopback, isMulticast, isUnspecified } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { devConf, devConfFlag } from "../kernel/sysctl.ts";
import { type FlowKey, fibLookup } from "./fib.ts";
import { fibSelectPath } from "./fib-select-path.ts";
import { fibValidateSource, type SourceValidation } from "./fib-validate-source.ts";
import { flowPorts } from "./flow-ports.ts";
import { recordRoute } from "./record-route.ts";
import { isRouteError, type RouteErrno, type RouteResult } from "./route-result.ts";

/** What input routing decided. `error`: ip_error() answers or drops; `martian`: dropped without a word. */
export type InputRoute =
  | { readonly kind: "route"; readonly route: RouteResult }
  | {
      readonly kind: "error";
      readonly errno: RouteErrno;
      readonly silent: boolean;
      readonly origins: readonly Origin[];
    }
  | {
      readonly kind: "martian";
      readonly reason: "IP_RPFILTER" | "IP_LOCAL_SOURCE" | "IP_INVALID_SOURCE" | "IP_LOCALNET" | "IP_INVALID_DEST";
      readonly decision: Decision;
      readonly origins: readonly Origin[];
    };

/** Follows ip_route_input_slow() (net/ipv4/route.c), in its order. Addresses are those after PREROUTING. */
export function ipRouteInput(kernel: Kernel, skb: Skb, device: Device): InputRoute {
  const { src, dst } = skb.packet;
  const martian = (
    reason: "IP_INVALID_SOURCE" | "IP_LOCALNET" | "IP_INVALID_DEST",
    decision: Decision,
  ): InputRoute => ({
    kind: "martian",
    reason,
    decision,
    origins: [],
  });
  if (isMulticast(src) || src === BROADCAST4) return martian("IP_INVALID_SOURCE", { kind: "source-multicast" });
  if (dst === BROADCAST4 || (isUnspecified(src) && isUnspecified(dst)))
    return validated(kernel, skb, device, broadcastRoute(device), ANY4);
  if (isUnspecified(src)) return martian("IP_INVALID_SOURCE", { kind: "source-zero" });
  if (isUnspecified(dst)) return martian("IP_INVALID_DEST", { kind: "destination-zero" });
  if (isLoopback(dst) && !devConfFlag(kernel, "route_localnet", device.name)) {
    return martian("IP_LOCALNET", { kind: "to-localnet", device: device.name });
  }
  if (isLoopback(src) && !devConfFlag(kernel, "route_localnet", device.name)) {
    return martian("IP_INVALID_SOURCE", { kind: "from-localnet", device: device.name });
  }
  const forwards = devConf(kernel, "forwarding", device.name);
  const key: FlowKey = {
    daddr: dst,
    saddr: src,
    iif: device.name,
    mark: skb.mark,
    tos: skb.packet.tos,
    protocol: skb.packet.protocol,
    ...flowPorts(skb.packet),
  };
  const looked = fibLookup(kernel, key);
  const forwarded = !isRouteError(looked) && looked.type === "unicast" && forwards.value !== "0";
  const found = forwarded ? fibSelectPath(kernel, looked, key, skb.packet) : looked;
  recordRoute(kernel, skb, "input", found);
  if (isRouteError(found)) {
    if (forwards.value === "0")
      return { kind: "error", errno: "EHOSTUNREACH", silent: true, origins: forwards.origins };
    return { kind: "error", errno: found.errno, silent: found.errno === "EINVAL", origins: found.origins };
  }
  if (found.type === "broadcast") return validated(kernel, skb, device, found, dst);
  if (found.type === "local") return validated(kernel, skb, device, found, dst);
  if (forwards.value === "0") return { kind: "error", errno: "EHOSTUNREACH", silent: true, origins: forwards.origins };
  return validated(kernel, skb, device, found, dst);
}

function validated(kernel: Kernel, skb: Skb, device: Device, route: RouteResult, dst: Address): InputRoute {
  const forwardTo = route.type === "unicast" ? route.device : undefined;
  const result: SourceValidation = fibValidateSource(kernel, skb, device, skb.packet.src, dst, forwardTo);
  if (result === "ok") return { kind: "route", route };
  const reason = result === "rp_filter" ? "IP_RPFILTER" : "IP_LOCAL_SOURCE";
  return { kind: "martian", reason, decision: { kind: "refused-source", by: result }, origins: [] };
}

const broadcastRoute = (device: Device): RouteResult => ({
  type: "broadcast",
  device,
  table: "local",
  origins: [],
});
