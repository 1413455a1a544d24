import type { DeviceAddress, Neighbour, NexthopObject, Origin, Route, RoutingRule } from "../../model/index.ts";
import type { Family, Prefix } from "../../net/index.ts";

/** `ip route add …`: NLM_F_CREATE and its companions decide what happens where such a route is there already. */
export type RouteVerb = "add" | "append" | "prepend" | "replace" | "change" | "delete" | "flush";
export type RuleVerb = "add" | "delete" | "flush";
export type AddressVerb = "add" | "replace" | "change" | "delete" | "flush";
export type NeighbourVerb = "add" | "replace" | "change" | "append" | "delete" | "flush";

/** What `del` selects by: only what was typed. */
export interface RouteSelector
  extends Partial<Omit<Route, "family" | "destination" | "table" | "nexthops" | "extra" | "origin">> {
  readonly family: Family;
  readonly destination: Prefix;
  readonly table: number | string;
  readonly nexthops: Route["nexthops"];
}

/** A rule as typed: the kernel chooses a preference where none was. */
export type RuleRequest = Omit<RoutingRule, "preference" | "action"> & {
  readonly preference?: number;
  /** Absent in `del`: any action. */
  readonly action?: RoutingRule["action"];
};

/** What `ip link set DEV …` changes. */
export interface LinkChange {
  readonly up?: boolean;
  readonly mtu?: number;
  readonly mac?: string;
  readonly name?: string;
  /** undefined: not touched; null: `nomaster`. */
  readonly master?: string | null;
  readonly arp?: boolean;
  readonly promisc?: boolean;
  readonly netns?: string;
  readonly alias?: string;
  readonly group?: string;
  /** `type bridge_slave hairpin on …` and other kinds' parameters, as typed. */
  readonly type?: string;
  readonly parameters?: readonly string[];
}

/** A change as typed on a command line. */
export type IpCommand =
  | {
      readonly kind: "route";
      readonly verb: RouteVerb;
      readonly route: Route;
      readonly typed: readonly string[];
      readonly origin: Origin;
    }
  | { readonly kind: "rule"; readonly verb: RuleVerb; readonly rule: RuleRequest; readonly origin: Origin }
  | {
      readonly kind: "address";
      readonly verb: AddressVerb;
      readonly device?: string;
      readonly address?: DeviceAddress;
      readonly family?: Family;
      readonly origin: Origin;
    }
  | {
      readonly kind: "link";
      readonly verb: "set" | "add" | "delete";
      readonly device: string;
      readonly change: LinkChange;
      readonly origin: Origin;
    }
  | {
      readonly kind: "neighbour";
      readonly verb: NeighbourVerb;
      readonly neighbour?: Neighbour;
      readonly device?: string;
      readonly origin: Origin;
    }
  | {
      readonly kind: "nexthop";
      readonly verb: "add" | "replace" | "delete";
      readonly nexthop: NexthopObject;
      readonly origin: Origin;
    }
  | { readonly kind: "unknown"; readonly words: readonly string[]; readonly reason: string; readonly origin: Origin };
