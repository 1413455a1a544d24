import type { StackCommand } from "../../../assemble/index.ts";
import type { Text } from "../../../messages/index.ts";
import {
  type Chain,
  type Decision,
  type IptablesTable,
  type Rule,
  type RuleStep,
  ruleAt,
  type Stack,
} from "../../../model/index.ts";
import type { Scene } from "../../cause.ts";
import type { CauseCode } from "../../code.ts";

/** The rule, or the policy, that dropped a packet. */
export interface DroppingRule {
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
  readonly code: CauseCode;
  readonly reads: (place: DroppingRule, scene: Scene) => Text | undefined;
  /**
   * What takes the cause away, where that is not to delete the rule: a rule that only says what is missing may go, and the endpoint
   * is missing still. Empty: nothing in the World does.
   */
  readonly without?: (place: DroppingRule, scene: Scene) => readonly StackCommand[];
}

/** The rule or policy that a drop names. */
export function droppingRule(stack: Stack | undefined, decision: Decision): Omit<DroppingRule, "marking"> | undefined {
  const ref = decision.kind === "in-chain" || decision.kind === "policy-of" ? decision.rule : undefined;
  const found = ruleAt(stack, ref);
  return ref === undefined || found === undefined ? undefined : { ...found, number: ref.number };
}

/** Whether a rule takes every packet that reaches it. */
export const takesAll = (rule: Rule | undefined): rule is Rule =>
  rule?.matches.every((m) => m.kind === "comment") === true &&
  [rule.source, rule.destination, rule.inInterface, rule.outInterface, rule.protocol, rule.fragment].every(
    (m) => m === undefined,
  );
