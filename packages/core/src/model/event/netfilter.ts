import type { Address } from "../../net/index.ts";
import type { Match } from "../netfilter/match.ts";
import type { Policy } from "../netfilter/rule.ts";
import type { RuleRef } from "../netfilter/rule-ref.ts";
import type { NatRange } from "../netfilter/target.ts";

export type NatTargetName = "DNAT" | "SNAT" | "MASQUERADE" | "REDIRECT" | "NETMAP";

/** What a chain did with a packet. */
export type ChainDecision =
  /** `place`: by which element of a map that stands in the rule, counted from 1. */
  | { readonly kind: "jump"; readonly chain: string; readonly place?: number }
  | { readonly kind: "goto"; readonly chain: string; readonly place?: number }
  | { readonly kind: "return" }
  | { readonly kind: "policy"; readonly policy: Policy }
  /** The policy of a chain ended it. */
  | { readonly kind: "policy-of"; readonly policy: Policy; readonly rule: RuleRef }
  /** In a walk of what nobody showed. */
  | { readonly kind: "unshown-rule"; readonly table: string }
  | { readonly kind: "unshown-entry" }
  /** A rule of a chain ended it. */
  | { readonly kind: "in-chain"; readonly decision: TargetDecision; readonly rule: RuleRef };

/** Why a rule did not match. */
export type NoMatch =
  | {
      readonly kind: "no-match";
      readonly criterion: "protocol" | "source" | "destination" | "in" | "out" | "fragment" | "chance";
    }
  | { readonly kind: "match-failed"; readonly match: Match["kind"] };

/** What a target did. */
export type TargetDecision =
  | { readonly kind: "accept" }
  | { readonly kind: "drop" }
  | { readonly kind: "counted" }
  | { readonly kind: "log" }
  | { readonly kind: "reject"; readonly how: string }
  /** One that has no more to say than its name. */
  | { readonly kind: "target"; readonly name: string }
  | { readonly kind: "set"; readonly action: "add" | "del" | "map"; readonly set: string }
  | { readonly kind: "tos"; readonly tos: number }
  | { readonly kind: "dscp"; readonly dscp: number }
  | { readonly kind: "ttl-set"; readonly ttl: number }
  | { readonly kind: "mss"; readonly mss: number }
  | { readonly kind: "mark"; readonly mark: number }
  /** TPROXY: the socket that has the packet from here on; or that none takes it. */
  | { readonly kind: "tproxy"; readonly port: number; readonly mark: number }
  | { readonly kind: "tproxy-nobody" }
  | { readonly kind: "mark-restored"; readonly mark: number }
  | { readonly kind: "connmark"; readonly mark: number }
  | { readonly kind: "connmark-saved"; readonly mark: number }
  | { readonly kind: "no-connection"; readonly target: string }
  | { readonly kind: "ct-tracked" }
  | { readonly kind: "tracked" }
  | { readonly kind: "not-tracked" }
  /** `flow add`: what follows of this connection is forwarded at the ingress of these devices. */
  | { readonly kind: "offloaded"; readonly flowtable: string; readonly devices: readonly string[] }
  | NatDecision;

/** What a target of the nat table decided, and what was applied of it. */
export type NatDecision =
  | { readonly kind: "nothing-to-translate"; readonly target: NatTargetName }
  | { readonly kind: "nat-to"; readonly target: NatTargetName; readonly to: NatRange }
  | { readonly kind: "without-address"; readonly target: NatTargetName }
  | { readonly kind: "masquerade-own"; readonly address: Address; readonly device: string }
  | {
      readonly kind: "masquerade-other";
      readonly address: Address;
      readonly owner: string;
      readonly device: string;
    }
  | { readonly kind: "masquerade-unset" }
  | { readonly kind: "masquerade-none"; readonly device: string }
  | { readonly kind: "masquerade-device-changed"; readonly device: string; readonly out: string }
  | { readonly kind: "redirect-none"; readonly device: string }
  | { readonly kind: "nat-connection" }
  | { readonly kind: "nat-undone" }
  | { readonly kind: "nat-icmp" }
  | { readonly kind: "nat-redirect" };

/** How conntrack took a packet. */
export type ConntrackDecision =
  | { readonly kind: "ct-bad-flags" }
  | { readonly kind: "ct-bad-checksum" }
  | { readonly kind: "ct-new" }
  | { readonly kind: "ct-no-fit"; readonly state: string }
  | { readonly kind: "ct-reply" }
  | { readonly kind: "ct-original" }
  | { readonly kind: "ct-quotes-unknown" }
  | { readonly kind: "ct-quotes-other" }
  | { readonly kind: "ct-quotes" }
  | { readonly kind: "ct-no-syn" }
  | { readonly kind: "ct-not-loose" }
  | { readonly kind: "ct-unasked" }
  /** A flowtable forwards it: rules of prerouting, forward and postrouting do not see it. */
  | { readonly kind: "ct-offloaded"; readonly flowtable: string }
  | { readonly kind: "ct-confirmed" }
  | { readonly kind: "ct-clash" };

export type NetfilterDecision = ChainDecision | NoMatch | TargetDecision | ConntrackDecision;
