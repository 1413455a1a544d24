import type { RouteLookup } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { isRouteError, type RouteError, type RouteResult } from "./route-result.ts";

/** A look-up and what came of it, for whoever wants the walk's steps or its lines. */
export function recordRoute(kernel: Kernel, skb: Skb, lookup: RouteLookup, found: RouteResult | RouteError): void {
  if (kernel.recording)
    kernel.record(skb, { kind: "route", stack: kernel.name, packet: skb.packet, lookup, ...routeFields(found) });
  else if (kernel.noting) kernel.network.routed(kernel, skb, found);
}

/** The fields of a RouteStep that a look-up's result gives. */
function routeFields(found: RouteResult | RouteError) {
  if (isRouteError(found)) {
    return {
      result: "error" as const,
      error: found.errno,
      ...(found.table !== undefined && { table: found.table }),
      ...(found.rule !== undefined && { rule: found.rule }),
      origins: found.origins,
    };
  }
  return {
    result: found.type === "multicast" ? ("broadcast" as const) : found.type,
    table: found.table,
    ...(found.rule !== undefined && { rule: found.rule }),
    device: found.device.name,
    ...(found.gateway !== undefined && { gateway: found.gateway }),
    ...(found.source !== undefined && { source: found.source }),
    origins: found.origins,
  };
}
