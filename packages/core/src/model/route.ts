import {
  type Address,
  type Family,
  familyOf,
  hostPrefix,
  type Mac,
  type PortRange,
  type Prefix,
} from "../net/index.ts";
import type { Extent } from "./extent.ts";
import type { Origin } from "./origin.ts";

export type RouteType =
  | "unicast"
  | "local"
  | "broadcast"
  | "anycast"
  | "multicast"
  | "blackhole"
  | "unreachable"
  | "prohibit"
  | "throw"
  | "nat"
  | "xresolve";

export interface Nexthop {
  readonly gateway?: Address;
  readonly device?: string;
  readonly weight: number;
  /** onlink, dead, linkdown, pervasive, offload, … as printed. */
  readonly flags: readonly string[];
  /** Encapsulation or MPLS that is not modelled, verbatim. */
  readonly encap?: string;
}

/** RT_SCOPE_*: by name where it has one. */
export type RouteScope = "global" | "site" | "link" | "host" | "nowhere" | number;

export interface Route {
  readonly type: RouteType;
  readonly family: Family;
  /** 0.0.0.0/0 or ::/0 for `default`. */
  readonly destination: Prefix;
  /** IPv6 only: `from PREFIX`. */
  readonly from?: Prefix;
  readonly tos?: number;
  /** Number or name as printed; well-known names are resolved: main 254, local 255, default 253. */
  readonly table: number | string;
  readonly metric?: number;
  /** Who installed it, by name where it has one; absent: `boot`, which ip(8) leaves out, or not shown by this tool. */
  readonly protocol?: string;
  /** Absent: global, which ip(8) leaves out, or not shown by this tool. */
  readonly scope?: RouteScope;
  readonly prefSrc?: Address;
  /** One for a plain route, several for multipath, none for types that need none (blackhole …). */
  readonly nexthops: readonly Nexthop[];
  /** `nhid N`: what it stands for comes from `ip nexthop`. */
  readonly nexthopId?: number;
  readonly mtu?: number;
  readonly advmss?: number;
  /** Metrics printed with `lock`: `mtu`, `advmss`. A locked mtu is not lowered by path MTU discovery. */
  readonly locked?: readonly string[];
  /** The rest as printed (`pref medium`, `expires 4sec`, `realm 5`, words not known), a phrase each, in order. */
  readonly extra: readonly string[];
  readonly origin: Origin;
}

export interface RouteTable {
  readonly id: number | string;
  readonly family: Family;
  readonly routes: readonly Route[];
  readonly extent: Extent;
}

export type RuleAction =
  | { readonly kind: "lookup"; readonly table: number | string }
  /** `unresolved`: no rule has the target preference, so the kernel skips it. */
  | { readonly kind: "goto"; readonly target: number; readonly unresolved?: boolean }
  | { readonly kind: "nop" | "blackhole" | "unreachable" | "prohibit" }
  | { readonly kind: "unknown"; readonly text: string };

/** `ip rule`. An absent selector matches everything. */
export interface RoutingRule {
  readonly family: Family;
  readonly preference: number;
  readonly not: boolean;
  readonly from?: Prefix;
  readonly to?: Prefix;
  readonly tos?: number;
  readonly dscp?: number;
  readonly fwmark?: number;
  readonly fwmask?: number;
  readonly iif?: string;
  readonly oif?: string;
  /** `[detached]`: the device named by iif or oif is not there. */
  readonly detached?: boolean;
  /** Which of the two, where both selectors are there. */
  readonly iifDetached?: boolean;
  readonly oifDetached?: boolean;
  /** `lookup [l3mdev-table]`: the table of the flow's VRF; the action then names table 0. */
  readonly l3mdev?: boolean;
  readonly uidRange?: PortRange;
  readonly ipProto?: number;
  readonly sport?: PortRange;
  readonly dport?: PortRange;
  readonly tunId?: number;
  readonly suppressPrefixLength?: number;
  readonly suppressGroup?: string;
  readonly protocol?: string;
  /** `FROM/TO` or `TO`: accounting and tc only, it decides nothing. */
  readonly realms?: string;
  readonly action: RuleAction;
  /** Words that were not understood, verbatim: such a rule may or may not match. */
  readonly unknown: readonly string[];
  readonly origin: Origin;
}

export interface Neighbour {
  readonly address: Address;
  readonly device: string;
  readonly mac?: Mac;
  /** REACHABLE, STALE, DELAY, PROBE, FAILED, INCOMPLETE, PERMANENT, NOARP, NONE. */
  readonly states: readonly string[];
  readonly router: boolean;
  readonly proxy: boolean;
  /** `managed`, `extern_learn`, `offload`, … as printed. */
  readonly flags?: readonly string[];
  readonly protocol?: string;
  readonly origin: Origin;
}

/** `ip nexthop`: what routes with `nhid` stand for. */
export interface NexthopObject {
  readonly id: number;
  /** Absent for a group and for a blackhole. */
  readonly nexthop?: Nexthop;
  readonly blackhole: boolean;
  readonly group?: readonly { readonly id: number; readonly weight: number }[];
  /** `resilient`; absent: by hash threshold (mpath). */
  readonly groupType?: string;
  readonly scope?: RouteScope;
  readonly protocol?: string;
  /** For VXLAN forwarding entries only, never for routes. */
  readonly fdb: boolean;
  readonly extra: readonly string[];
  readonly origin: Origin;
}

/** What the kernel said when asked: `ip route get`. An observation, not a table. */
export interface RouteGet {
  readonly destination: Address;
  readonly from?: Address;
  readonly type: RouteType;
  readonly gateway?: Address;
  readonly device?: string;
  readonly source?: Address;
  readonly mark?: number;
  readonly iif?: string;
  readonly table?: number | string;
  readonly error?: string;
  readonly uid?: number;
  readonly tos?: number;
  /** `cache <local,brd>`: RTCF_* by name. */
  readonly cacheFlags?: readonly string[];
  readonly mtu?: number;
  /** The rest as printed, a phrase each. */
  readonly extra?: readonly string[];
  readonly origin: Origin;
}

/** The route to one address behind a device of this stack, as a node has it for each of its pods. */
export const hostRoute = (address: Address, device: string, origin: Origin): Route => ({
  type: "unicast",
  family: familyOf(address),
  destination: hostPrefix(address),
  table: TABLE_MAIN,
  scope: "link",
  nexthops: [{ device, weight: 1, flags: [] }],
  extra: [],
  origin,
});

export const withRoute = (tables: readonly RouteTable[], route: Route): readonly RouteTable[] =>
  tables.map((t) => (t.id === route.table && t.family === route.family ? { ...t, routes: [...t.routes, route] } : t));

export const TABLE_LOCAL = 255;
export const TABLE_MAIN = 254;
export const TABLE_DEFAULT = 253;
