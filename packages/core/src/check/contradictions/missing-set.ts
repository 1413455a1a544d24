import { text } from "../../messages/index.ts";
import type { Match, Rule } from "../../model/index.ts";
import { facts, setsOf, startOf, tablesOf } from "../view.ts";
import { type Check, groupBy } from "./contradict.ts";

export const setsNamedBy = (rule: Rule): readonly string[] => [
  ...rule.matches.flatMap((m: Match) => (m.kind === "set" ? [m.name] : [])),
  ...(rule.target.kind === "set" ? [rule.target.name] : []),
];

/** A rule cannot be loaded while the set it names does not exist (ip_set_nfnl_get). */
export const missingSets: Check = (view) => {
  const whole = facts(view, "ipset").filter((f) => f.extent === "whole");
  if (whole.length === 0) return [];
  const known = new Set(setsOf(view).map((s) => s.name));
  const uses = tablesOf(view).flatMap((t) =>
    t.chains.flatMap((c) => c.rules.flatMap((rule) => setsNamedBy(rule).map((name) => ({ name, rule })))),
  );
  const unknown = uses.filter((u) => !known.has(u.name));
  return [...groupBy(unknown, (u) => u.name)].map(([name, named]) => ({
    code: "SET_NOT_THERE",
    text:
      named.length === 1
        ? text("contradiction.no-set-one", { set: name })
        : text("contradiction.no-set", { count: named.length, set: name }),
    origins: [...named.map((u) => u.rule.origin), startOf(whole[0]!.dump)],
  }));
};
