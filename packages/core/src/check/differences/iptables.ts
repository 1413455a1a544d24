import { type Element, Names, TableDiff } from "../../compare/index.ts";
import {
  type Chain,
  type IptablesTable,
  isKubeName,
  type Match,
  plainSetName,
  type Rule,
  type Target,
} from "../../model/index.ts";

import type { Family } from "../../net/index.ts";

/** A table as expected beside the one that stands there, and where they differ. */
export interface TableDifference {
  readonly expected: IptablesTable;
  readonly actual: IptablesTable;
  readonly element: Element;
}

/** What depends on the tools of the node and not on the cluster: --random-fully, counters of nfacct. */
function plainTarget(target: Target): Target {
  return target.kind === "masquerade" ? { ...target, random: false, randomFully: false } : target;
}
const counts = (m: Match): boolean => m.kind === "other" && m.name === "nfacct";

/** A set of IPv6 by its name without the prefix, which is how rules that were not taken from a node have it. */
const plainMatch = (m: Match): Match =>
  m.kind === "set" && isKubeName(m.name) ? { ...m, name: plainSetName(m.name) } : m;

const plainRule = (rule: Rule, family: Family): Rule => ({
  ...rule,
  matches: rule.matches.filter((m) => !counts(m)).map((m) => (family === 6 ? plainMatch(m) : m)),
  target: plainTarget(rule.target),
});

/** kube-proxy's part of a table: its chains, and of the built-in ones only the rules that jump there. */
function ownPart(table: IptablesTable, jumps: ReadonlySet<string>): IptablesTable {
  const chains = table.chains.map((chain): Chain => {
    if (chain.policy === undefined) return { ...chain, rules: chain.rules.map((r) => plainRule(r, table.family)) };
    const rules = chain.rules.filter((r) => r.target.kind === "jump" && jumps.has(r.target.chain));
    return { ...chain, policy: "ACCEPT", rules: onceEach(rules) };
  });
  return { ...table, chains };
}

/** kubelet and kube-proxy both see to some jumps: twice is as good as once. */
function onceEach(rules: readonly Rule[]): readonly Rule[] {
  const seen = new Set<string>();
  return rules.filter((r) => {
    const { origin: _, counters: __, matches, ...rest } = r;
    const key = JSON.stringify([rest, matches.filter((m) => m.kind !== "comment")]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The chains that built-in chains lead to. */
const jumpsOf = (table: IptablesTable): ReadonlySet<string> =>
  new Set(
    table.chains.flatMap((c) =>
      c.policy === undefined ? [] : c.rules.flatMap((r) => (r.target.kind === "jump" ? [r.target.chain] : [])),
    ),
  );

/**
 * Where kube-proxy's part of a table is not as expected, by meaning. What others put into built-in chains, and how the jumps stand among
 * each other there, is not its business.
 */
export function tableDifferences(expected: IptablesTable, actual: IptablesTable): readonly TableDifference[] {
  const jumps = new Set([...jumpsOf(expected)].filter(isKubeName));
  const [a, b] = [ownPart(expected, jumps), ownPart(actual, jumps)];
  const found = { elements: [] as Element[], notShown: [] };
  new TableDiff(a, b, new Names(), found, true).run(expected.name);
  return found.elements
    .filter((e) => e.kind === "rule" && !(e.change === "moved" && isBuiltIn(a, e)))
    .map((element) => ({ expected: a, actual: b, element }));
}

const isBuiltIn = (table: IptablesTable, e: Element): boolean =>
  table.chains.some((c) => c.policy !== undefined && c.name === e.sides?.chains[0]);
