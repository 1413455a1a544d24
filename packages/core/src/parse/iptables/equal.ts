import type { Rule } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { printRuleSpec } from "./print.ts";

/** What identifies a rule for -D and -C: everything but counters and origin. */
export const ruleKey = (rule: Rule, family: Family): string => printRuleSpec(rule, family);

export const sameRule = (a: Rule, b: Rule, family: Family): boolean =>
  a === b ||
  (a.target.kind === b.target.kind &&
    a.matches.length === b.matches.length &&
    ruleKey(a, family) === ruleKey(b, family));
