import type { Device, Nexthop, Origin, Route } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";

/** A routing decision (struct rtable): where the packet goes from here. */
export interface RouteResult {
  readonly type: "local" | "unicast" | "broadcast" | "multicast";
  readonly device: Device;
  readonly gateway?: Address;
  /** Source the route would give a packet that has none; absent where no address fits. */
  readonly source?: Address;
  readonly table: number | string;
  readonly rule?: number;
  readonly mtu?: number;
  /** Of what a stack sends to itself: the device that has the address, by which sockets take it to have come in (rt_iif). */
  readonly iif?: string;
  /** Found for a way out although the packet came in (rt_is_output_route): what a reject before routing and IPVS give it. */
  readonly output?: true;
  readonly route?: Route;
  readonly nexthop?: Nexthop;
  /** Of a multipath route: this one and the others, in their order. */
  readonly paths?: readonly RouteResult[];
  /** IPv6: the address of whichever router of a subnet is nearest (RTF_ANYCAST); such a route is local as well. */
  readonly anycast?: true;
  readonly origins: readonly Origin[];
}

export type RouteErrno = "ENETUNREACH" | "EHOSTUNREACH" | "EACCES" | "EINVAL" | "EADDRNOTAVAIL";

export interface RouteError {
  readonly type: "error";
  readonly errno: RouteErrno;
  readonly table?: number | string;
  readonly rule?: number;
  readonly origins: readonly Origin[];
}

export const isRouteError = (r: RouteResult | RouteError): r is RouteError => r.type === "error";
