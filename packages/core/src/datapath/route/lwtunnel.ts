import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { RouteResult } from "./route-result.ts";

/** lwtunnel_output(), lwtunnel_xmit(): a route with `encap` (MPLS, IP, seg6, a program) wraps or changes what it carries. That is not walked. */
export function refuseEncapsulation({ name }: Kernel, { nexthop, origins }: RouteResult): void {
  const encapsulation = nexthop?.encap;
  if (encapsulation !== undefined)
    throw new Undetermined(name, "route", { kind: "unknown-encapsulation", encapsulation }, origins);
}
