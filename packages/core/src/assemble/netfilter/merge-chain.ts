import type { Chain, IptablesTable, Rule } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { ruleKey } from "../../parse/iptables/equal.ts";
import type { Ledger } from "../ledger.ts";
import { mergeExcerpts } from "./merge-rules.ts";

const isLossy = (chain: Chain): boolean => chain.rules.some((r) => r.lossy === true);
const targets = (rules: readonly Rule[]): string => rules.map((r) => JSON.stringify(r.target)).join("\n");

/** One chain from all listings that show it. */
export function mergeChain(table: IptablesTable, chains: readonly Chain[], stack: string, ledger: Ledger): Chain {
  const [first, ...rest] = chains;
  if (rest.length === 0) return first!;
  const policies = chains.filter((c) => c.policy !== undefined);
  const policy = policies[0]?.policy;
  const other = policies.find((c) => c.policy !== policy);
  if (other !== undefined) {
    const text = `the policy of ${table.name} ${first!.name} is ${policy} in one dump and ${other.policy} in another; the first is taken`;
    ledger.note("contradiction", "policy-differs", text, [policies[0]!.origin, other.origin], stack);
  }
  const chosen = choose(chains, table.family);
  if (chosen.extent === "whole") compare(table, chosen, chains, stack, ledger);
  return policy === undefined || chosen.policy === policy ? chosen : { ...chosen, policy };
}

/** Complete beats cut, exact beats lossy, the first beats the later. A lossy list gives way to an exact one that says as much. */
function choose(chains: readonly Chain[], family: Family): Chain {
  const whole = chains.filter((c) => c.extent === "whole");
  const exact = whole.find((c) => !isLossy(c));
  if (exact !== undefined) return exact;
  const excerpts = chains.filter((c) => c.extent !== "whole" && !isLossy(c));
  const [head, ...tail] = excerpts;
  const rules = tail.reduce((merged, c) => mergeExcerpts(merged, c.rules, family), head?.rules ?? []);
  const lossy = whole[0];
  if (lossy === undefined) {
    if (head === undefined) return chains[0]!;
    return { ...head, rules };
  }
  return head !== undefined && targets(rules) === targets(lossy.rules) ? { ...head, rules, extent: "whole" } : lossy;
}

function compare(table: IptablesTable, chosen: Chain, chains: readonly Chain[], stack: string, ledger: Ledger): void {
  const others = chains.filter((c) => c !== chosen && c.rules !== chosen.rules && !isLossy(c));
  if (others.length === 0 || isLossy(chosen)) return;
  const known = new Set(chosen.rules.map((r) => ruleKey(r, table.family)));
  for (const other of others) {
    const strange = other.rules.find((r) => !known.has(ruleKey(r, table.family)));
    const fewer = other.extent === "whole" && other.rules.length !== chosen.rules.length;
    if (strange === undefined && !fewer) continue;
    ledger.note(
      "contradiction",
      "chain-differs",
      `${table.name} ${chosen.name} is shown twice, with different rules; the first complete one is taken`,
      [strange?.origin ?? other.origin, chosen.origin],
      stack,
    );
  }
}
