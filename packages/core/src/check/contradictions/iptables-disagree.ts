import { text } from "../../messages/index.ts";
import type { Chain, IptablesTable, Rule, Target } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { changedBetween, facts } from "../view.ts";
import { type Check, type Claimed, groupBy } from "./contradict.ts";

/** What a rule selects, without counters and remarks; a lossy form hides the interfaces. */
const selector = (rule: Rule, coarse: boolean): string =>
  JSON.stringify([
    rule.source,
    rule.destination,
    coarse ? null : [rule.inInterface, rule.outInterface],
    rule.protocol,
    rule.fragment,
    rule.matches
      .filter((m) => m.kind !== "comment")
      .map((m) => JSON.stringify(m))
      .sort(),
  ]);

const targetText = (target: Target): string => (target.kind === "jump" ? target.chain : target.kind.toUpperCase());

interface Sighting {
  readonly chain: Chain;
  readonly dump: number;
}

/** Two listings of one chain must say the same, counters aside. */
export const iptablesDisagree: Check = (view) => {
  const observed = facts(view, "iptables").flatMap((f, dump) => f.tables.map((table) => ({ table, dump })));
  const claims: Claimed[] = [];
  for (const group of groupBy(observed, ({ table }) => keyOf(table)).values()) {
    // One listing alone does not disagree with itself.
    if (group.every((g) => g.dump === group[0]!.dump)) continue;
    const table = group[0]!.table;
    const sightings = group.flatMap((g) => g.table.chains.map((chain) => ({ chain, dump: g.dump })));
    for (const chains of groupBy(sightings, (s) => s.chain.name).values()) append(claims, compare(table, chains));
  }
  return claims.filter(
    ({ origins: [a, b] }) => a === undefined || b === undefined || !changedBetween(view, "iptables-commands", a, b),
  );
};

const keyOf = (table: IptablesTable): string => `${table.family}/${table.name}/${table.backend}`;

function compare(table: IptablesTable, sightings: readonly Sighting[]): readonly Claimed[] {
  const claims: Claimed[] = [];
  for (let i = 1; i < sightings.length && i < MAX_COMPARED; i++) {
    const [a, b] = [sightings[0]!, sightings[i]!];
    if (a.dump === b.dump) continue;
    append(claims, policies(table, a.chain, b.chain));
    append(claims, rules(table, a.chain, b.chain));
  }
  return claims;
}

const MAX_COMPARED = 20;

function policies(table: IptablesTable, a: Chain, b: Chain): readonly Claimed[] {
  if (a.policy === undefined || b.policy === undefined || a.policy === b.policy) return [];
  return [
    {
      code: "POLICY_DIFFERS",
      text: text("contradiction.policy", {
        chain: a.name,
        table: table.name,
        policy: a.policy ?? "-",
        other: b.policy ?? "-",
      }),
      origins: [a.origin, b.origin],
    },
  ];
}

function rules(table: IptablesTable, a: Chain, b: Chain): readonly Claimed[] {
  const coarse = [...a.rules, ...b.rules].some((r) => r.lossy);
  const first = groupBy(a.rules, (r) => selector(r, coarse));
  const second = groupBy(b.rules, (r) => selector(r, coarse));
  const claims: Claimed[] = [];
  for (const [key, there] of second) {
    const here = first.get(key);
    if (here === undefined) {
      if (a.extent === "whole" && b.extent === "whole" && !coarse) claims.push(onlyIn(table, a, there[0]!, b));
      continue;
    }
    const wanted = new Set(here.map((r) => JSON.stringify(r.target)));
    const odd = there.find((r) => !wanted.has(JSON.stringify(r.target)) && !unclear(r) && !here.some(unclear));
    if (odd !== undefined) {
      claims.push({
        code: "RULE_DIFFERS",
        text: text("contradiction.target", {
          chain: a.name,
          table: table.name,
          target: targetText(here[0]!.target),
          other: targetText(odd.target),
        }),
        origins: [here[0]!.origin, odd.origin],
      });
    }
  }
  if (a.extent === "whole" && b.extent === "whole" && !coarse) {
    for (const [key, here] of first) if (!second.has(key)) claims.push(onlyIn(table, b, here[0]!, a));
  }
  return claims.slice(0, 5);
}

/** `-L` cannot show every target's options, so only what both say outright is compared. */
const unclear = (rule: Rule): boolean =>
  rule.target.kind === "unknown" || rule.target.kind === "other" || rule.matches.some((m) => m.kind === "unknown");

const onlyIn = (table: IptablesTable, without: Chain, rule: Rule, within: Chain): Claimed => ({
  code: "RULE_ONLY_IN_ONE",
  text: text("contradiction.rule-lacking", { chain: within.name, table: table.name }),
  origins: [rule.origin, without.origin],
});
