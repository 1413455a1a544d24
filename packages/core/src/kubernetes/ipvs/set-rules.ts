import { derived, type Match, type SetMatch, type Target } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { comment, type RuleSpec } from "../rules.ts";
import { commentOf, type KubeSet, type SetBuilder, setName } from "./sets.ts";

export const IPVS_RULES = derived("what kube-proxy writes in IPVS mode");

export const PORT = ["dst"] as const;
export const ADDRESS_PORT = ["dst", "dst"] as const;
export const ADDRESS_PORT_SOURCE = ["dst", "dst", "src"] as const;
/** How a rule asks a set. */
export type Directions = SetMatch["directions"];

export const inSet = (set: KubeSet, directions: Directions, family: Family): SetMatch => ({
  kind: "set",
  name: setName(set, family),
  directions,
  negated: false,
  returnNomatch: false,
  noUpdateCounters: false,
  noUpdateSubcounters: false,
});

export const commented = (set: KubeSet, directions: Directions, family: Family): readonly Match[] => [
  comment(commentOf(set)),
  inSet(set, directions, family),
];

/** The rule that kube-proxy writes about a set, which it does only while the set has members (ipsetWithIptablesChain). */
export type AboutSet = (
  set: KubeSet,
  directions: Directions,
  target: Target,
  rest?: Partial<RuleSpec>,
) => readonly RuleSpec[];

export const aboutSets =
  (sets: SetBuilder, family: Family): AboutSet =>
  (set, directions, target, rest = {}) =>
    sets.isEmpty(set) ? [] : [{ ...rest, matches: commented(set, directions, family), target }];
