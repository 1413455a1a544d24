import type { Programmed } from "../../../kubernetes/index.ts";
import { type Chain, type IpSet, type IptablesTable, isKubeName, type Rule } from "../../../model/index.ts";
import { ruleKey } from "../../../parse/iptables/rule/equal.ts";
import type { Swap } from "./swap.ts";

const filled = (sets: readonly IpSet[]): ReadonlySet<string> =>
  new Set(sets.filter((s) => s.entries.length > 0).map((s) => s.name));

const setOf = (rule: Rule): string | undefined => {
  const match = rule.matches.find((m) => m.kind === "set" && isKubeName(m.name));
  return match?.kind === "set" ? match.name : undefined;
};

/**
 * In IPVS mode most rules are about sets, not about Services, and kube-proxy writes such a rule only while its set has members: it
 * comes with the first and goes with the last. The few that name a Service's address come and go with it.
 */
export function swapSetRules(
  table: IptablesTable,
  { before, after, without }: Swap,
  was: readonly IpSet[],
  is: readonly IpSet[],
): IptablesTable {
  const [had, has] = [filled(was), filled(is)];
  const key = (rule: Rule): string => ruleKey(rule, table.family);
  const rulesOf = (p: Programmed, chain: string): readonly Rule[] =>
    p.tables.find((t) => t.name === table.name && t.family === table.family)?.chains.find((c) => c.name === chain)
      ?.rules ?? [];
  const chains = table.chains.map((chain): Chain => {
    if (!isKubeName(chain.name)) return chain;
    const [old, wanted] = [rulesOf(before, chain.name), rulesOf(after, chain.name)];
    // Some are written whatever the sets hold.
    const always = new Set(rulesOf(without, chain.name).map(key));
    const isOld = new Set(old.map(key));
    const isWanted = new Set(wanted.map(key));
    const goes = (rule: Rule): boolean => {
      const set = setOf(rule);
      if (always.has(key(rule))) return false;
      return set === undefined ? isOld.has(key(rule)) && !isWanted.has(key(rule)) : had.has(set) && !has.has(set);
    };
    const comes = (rule: Rule): boolean => {
      const set = setOf(rule);
      return set === undefined ? !isOld.has(key(rule)) : !had.has(set) && has.has(set);
    };
    const rules = chain.rules.filter((rule) => !goes(rule));
    for (const [i, rule] of wanted.entries()) {
      if (!comes(rule) || rules.some((r) => key(r) === key(rule))) continue;
      const later = new Set(wanted.slice(i + 1).map(key));
      const at = rules.findIndex((r) => later.has(key(r)));
      rules.splice(at < 0 ? rules.length : at, 0, rule);
    }
    return { ...chain, rules };
  });
  return { ...table, chains };
}
