import type { Text } from "../../../messages/index.ts";
import type { Chain, IptablesTable, Origin, Rule, RuleStep, Stack } from "../../../model/index.ts";
import type { Scene } from "../../cause.ts";

/** The rule, or the policy, that dropped a packet. */
export interface Place {
  readonly table: IptablesTable;
  readonly chain: Chain;
  /** Undefined: the policy. */
  readonly rule: Rule | undefined;
  /** From 1; 0 is the policy. */
  readonly number: number;
  /** The rule that put on the mark by which it was dropped. */
  readonly marking: RuleStep | undefined;
}

/** What a dropping rule stands for. Whose chain it is tells; kube-proxy's and the CNIs' chain names are their interface. */
export interface RuleCause {
  readonly code: string;
  readonly reads: (place: Place, scene: Scene) => Text | undefined;
  /**
   * What takes the cause away, where that is not to delete the rule: a rule that only says what is missing may go, and the endpoint
   * is missing still. Empty: nothing in the World does.
   */
  readonly without?: (place: Place, scene: Scene) => readonly string[];
}

export function placeOf(stack: Stack | undefined, origin: Origin | undefined): Omit<Place, "marking"> | undefined {
  for (const table of stack?.netfilter.tables ?? []) {
    for (const chain of table.chains) {
      const at = chain.rules.findIndex((r) => r.origin === origin);
      if (at >= 0) return { table, chain, rule: chain.rules[at], number: at + 1 };
      if (chain.origin === origin && chain.policy === "DROP") return { table, chain, rule: undefined, number: 0 };
    }
  }
  return undefined;
}

export const commentOf = (rule: Rule | undefined): string =>
  rule?.matches.flatMap((m) => (m.kind === "comment" ? [m.text] : [])).join(" ") ?? "";

/** Whether a rule takes every packet that reaches it. */
export const takesAll = (rule: Rule | undefined): rule is Rule =>
  rule?.matches.every((m) => m.kind === "comment") === true &&
  [rule.source, rule.destination, rule.inInterface, rule.outInterface, rule.protocol, rule.fragment].every(
    (m) => m === undefined,
  );
