import type { Chain, IptablesTable, Rule } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { ruleKey } from "../../parse/iptables/equal.ts";
import type { Ledger } from "../ledger.ts";
import { mergeExcerpts } from "./merge-rules.ts";

/** A chain as one listing shows it. `loose`: by iptables -L, which hides details and rounds. */
export interface ListedChain {
  readonly chain: Chain;
  readonly loose: boolean;
  readonly at: number;
}

const isExact = ({ chain, loose }: ListedChain): boolean => !loose && !chain.rules.some((r) => r.lossy === true);

/** One chain from all listings that show it. */
export function mergeChain(table: IptablesTable, listed: readonly ListedChain[], stack: string, ledger: Ledger): Chain {
  const policies = [...listed.filter(isExact), ...listed].map((l) => l.chain).filter((c) => c.policy !== undefined);
  const policy = policies[0]?.policy;
  const other = policies.find((c) => c.policy !== policy);
  if (other !== undefined) {
    const text = `the policy of ${table.name} ${other.name} is ${policy} in one dump and ${other.policy} in another; the first is taken`;
    ledger.note("contradiction", "policy-differs", text, [policies[0]!.origin, other.origin], stack);
  }
  const { chain: chosen, ambiguous } = choose(listed, table.family);
  if (ambiguous) {
    const text = `${table.name} ${chosen.name} is put together from excerpts that leave the order of some rules open`;
    ledger.note("hint", "rule-order-unknown", text, [chosen.origin], stack);
  }
  compare(table, chosen, listed, stack, ledger);
  return policy === undefined || chosen.policy === policy ? chosen : { ...chosen, policy };
}

/**
 * Complete beats cut, exact beats loose, the first beats the later. A complete but loose listing says how many rules there are:
 * an exact excerpt of as many is complete too.
 */
function choose(
  listed: readonly ListedChain[],
  family: Family,
): { readonly chain: Chain; readonly ambiguous: boolean } {
  const sure = (chain: Chain) => ({ chain, ambiguous: false });
  const whole = listed.filter((l) => l.chain.extent === "whole");
  const exact = whole.find(isExact);
  if (exact !== undefined) return sure(exact.chain);
  const excerpts = listed.filter((l) => l.chain.extent !== "whole" && isExact(l)).map((l) => l.chain);
  const [head, ...tail] = excerpts;
  const loose = whole[0]?.chain;
  if (head === undefined) return sure(loose ?? listed[0]!.chain);
  let { rules } = head;
  let ambiguous = false;
  for (const chain of tail) {
    const merged = mergeExcerpts(rules, chain.rules, family);
    rules = merged.rules;
    ambiguous = ambiguous || merged.ambiguous;
  }
  if (loose === undefined) return { chain: { ...head, rules }, ambiguous };
  return rules.length >= loose.rules.length ? { chain: { ...head, rules, extent: "whole" }, ambiguous } : sure(loose);
}

function compare(
  table: IptablesTable,
  chosen: Chain,
  listed: readonly ListedChain[],
  stack: string,
  ledger: Ledger,
): void {
  if (chosen.extent !== "whole") return;
  const key = (r: Rule): string => ruleKey(r, table.family);
  const known = new Set(chosen.rules.map(key));
  const precise = !listed.some((l) => l.chain === chosen && !isExact(l));
  for (const one of listed) {
    const { chain } = one;
    if (chain === chosen || chain.rules === chosen.rules) continue;
    const strange =
      precise && isExact(one) ? chain.rules.find((r) => !known.has(key(r))) : otherTarget(chain.rules, chosen.rules);
    const fewer = chain.extent === "whole" && chain.rules.length !== chosen.rules.length;
    if (strange === undefined && !fewer) continue;
    const there =
      strange === undefined ? chosen.origin : (chosen.rules[chain.rules.indexOf(strange)]?.origin ?? chosen.origin);
    ledger.note(
      "contradiction",
      "chain-differs",
      `${table.name} ${chosen.name} is shown twice, with different rules`,
      [there, strange?.origin ?? chain.origin],
      stack,
    );
  }
}

/** Loose listings are compared by what they surely show: how many rules there are and what each does. */
function otherTarget(rules: readonly Rule[], chosen: readonly Rule[]): Rule | undefined {
  if (rules.length !== chosen.length) return undefined;
  return rules.find((r, i) => r.target.kind !== chosen[i]!.target.kind);
}
