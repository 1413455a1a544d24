import type { Address, Family, Mac, PortRange, Prefix } from "../net/index.ts";
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
  readonly protocol?: string;
  readonly scope?: RouteScope;
  readonly prefSrc?: Address;
  /** One for a plain route, several for multipath, none for types that need none (blackhole …). */
  readonly nexthops: readonly Nexthop[];
  /** `nhid N`: what it stands for comes from `ip nexthop`. */
  readonly nexthopId?: number;
  readonly mtu?: number;
  readonly advmss?: number;
  /** The rest as printed (`pref medium`, `expires 4sec`, `proto …` unknown words), in order. */
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
  | { readonly kind: "goto"; readonly target: number }
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
  readonly l3mdev?: boolean;
  readonly uidRange?: PortRange;
  readonly ipProto?: number;
  readonly sport?: PortRange;
  readonly dport?: PortRange;
  readonly tunId?: number;
  readonly suppressPrefixLength?: number;
  readonly suppressGroup?: string;
  readonly protocol?: string;
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
  readonly origin: Origin;
}

export const TABLE_LOCAL = 255;
export const TABLE_MAIN = 254;
export const TABLE_DEFAULT = 253;
