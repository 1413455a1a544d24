import type { Chain, IptablesTable } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { mergeExcerpts } from "./merge-rules.ts";

/** A chain as one listing shows it. `loose`: by iptables -L, which hides details and rounds. */
export interface ListedChain {
  readonly chain: Chain;
  readonly loose: boolean;
  readonly at: number;
}

const isExact = ({ chain, loose }: ListedChain): boolean => !loose && !chain.rules.some((r) => r.lossy === true);

/** One chain from all listings that show it. */
export function mergeChain(table: IptablesTable, listed: readonly ListedChain[]): Chain {
  const policies = [...listed.filter(isExact), ...listed].map((l) => l.chain).filter((c) => c.policy !== undefined);
  const policy = policies[0]?.policy;
  const chosen = choose(listed, table.family);
  return policy === undefined || chosen.policy === policy ? chosen : { ...chosen, rules: chosen.rules, policy };
}

/**
 * Complete beats cut, exact beats loose, the first beats the later. A complete but loose listing says how many rules there are:
 * an exact excerpt of as many is complete too.
 */
function choose(listed: readonly ListedChain[], family: Family): Chain {
  const whole = listed.filter((l) => l.chain.extent === "whole");
  const exact = whole.find(isExact);
  if (exact !== undefined) return exact.chain;
  const [head, ...tail] = listed.filter((l) => l.chain.extent !== "whole" && isExact(l)).map((l) => l.chain);
  const loose = whole[0]?.chain;
  if (head === undefined) return loose ?? listed[0]!.chain;
  const rules = tail.reduce((merged, chain) => mergeExcerpts(merged, chain.rules, family), head.rules);
  if (loose === undefined) return { ...head, rules };
  return rules.length >= loose.rules.length ? { ...head, rules, extent: "whole" } : loose;
}
