import type { DeviceAddress, Neighbour, Origin, Route, RoutingRule } from "../../../model/index.ts";
import type { Family, Prefix } from "../../../net/index.ts";

/** What happens where such a route is there already hangs on the verb (NLM_F_CREATE, EXCL, REPLACE, APPEND). */
export type RouteVerb = "add" | "append" | "prepend" | "replace" | "change" | "delete" | "flush";
export type RuleVerb = "add" | "delete" | "flush";
export type AddressVerb = "add" | "replace" | "change" | "delete" | "flush";
export type NeighbourVerb = "add" | "replace" | "change" | "append" | "delete" | "flush";

/** What `del` and `flush` choose routes by: only what was typed counts. */
export interface RouteSelector
  extends Partial<Pick<Route, "type" | "tos" | "metric" | "protocol" | "scope" | "prefSrc" | "nexthopId" | "mtu">> {
  readonly family: Family;
  /** Absent in `flush`: any. */
  readonly destination?: Prefix;
  readonly table?: number | string;
  readonly nexthops: Route["nexthops"];
}

/** A rule as typed: the kernel chooses a preference where none was; `del` without an action means any. */
export type RuleRequest = Omit<RoutingRule, "preference" | "action"> & {
  readonly preference?: number;
  readonly action?: RoutingRule["action"];
};

/** What `ip link set DEV …` changes. */
export interface LinkChange {
  readonly up?: boolean;
  readonly mtu?: number;
  readonly mac?: string;
  readonly name?: string;
  /** null: `nomaster`. */
  readonly master?: string | null;
  readonly arp?: boolean;
  readonly promisc?: boolean;
  readonly multicast?: boolean;
  readonly allmulticast?: boolean;
  readonly netns?: string;
  readonly alias?: string;
  readonly group?: string;
  readonly txQueueLength?: number;
  /** `type KIND …`: the kind, or the kind of slave (`bridge_slave`), and its words as typed. */
  readonly type?: string;
  readonly parameters?: readonly string[];
  /** `ip link add NAME link LOWER …`. */
  readonly lower?: string;
}

/** A change as typed on a command line. */
export type IpCommand =
  | {
      readonly kind: "route";
      readonly verb: Exclude<RouteVerb, "delete" | "flush">;
      readonly route: Route;
      readonly origin: Origin;
    }
  | {
      readonly kind: "route-removal";
      readonly verb: "delete" | "flush";
      readonly selector: RouteSelector;
      readonly origin: Origin;
    }
  | { readonly kind: "rule"; readonly verb: RuleVerb; readonly rule: RuleRequest; readonly origin: Origin }
  | {
      readonly kind: "address";
      readonly verb: AddressVerb;
      /** Absent only in `flush`. */
      readonly device?: string;
      readonly address?: DeviceAddress;
      /** `del 10.0.0.1` without a length takes any. */
      readonly anyLength?: boolean;
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
  /** Not understood, or nothing that changes a stack; `column` is the index of the word it fails at. */
  | {
      readonly kind: "unknown";
      readonly words: readonly string[];
      readonly reason: string;
      readonly word?: number;
      readonly origin: Origin;
    };

export type UnknownCommand = Extract<IpCommand, { kind: "unknown" }>;
