import type { Rule } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import { printRuleSpec } from "./print.ts";

/** What identifies a rule for -D and -C: everything but counters, origin and what a protocol is called. */
export function ruleKey(rule: Rule, family: Family): string {
  const { protocolName: _, ...rest } = rule;
  return printRuleSpec(rest, family);
}

export const sameRule = (a: Rule, b: Rule, family: Family): boolean =>
  a === b ||
  (a.target.kind === b.target.kind &&
    a.matches.length === b.matches.length &&
    ruleKey(a, family) === ruleKey(b, family));
