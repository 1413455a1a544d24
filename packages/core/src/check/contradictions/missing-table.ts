import { text } from "../../messages/index.ts";
import { TABLE_DEFAULT, TABLE_LOCAL, TABLE_MAIN } from "../../model/index.ts";
import { facts, rulesOf, startOf } from "../view.ts";
import { type Check, groupBy } from "./contradict.ts";

/** A rule may send packets to a table that is empty; whoever wrote the rule hardly meant that. */
export const missingRouteTables: Check = (view) =>
  ([4, 6] as const).flatMap((family) => {
    const whole = facts(view, "routes").filter(
      (f) => f.family === family && f.tables === "all" && f.extent === "whole",
    );
    if (whole.length === 0) return [];
    const shown = new Set(
      facts(view, "routes").flatMap((f) => (f.family === family ? f.routes.map((r) => r.table) : [])),
    );
    const builtIn: readonly (number | string)[] = [TABLE_LOCAL, TABLE_MAIN, TABLE_DEFAULT];
    const lookups = rulesOf(view).flatMap((rule) =>
      rule.family === family && rule.action.kind === "lookup" ? [{ table: rule.action.table, rule }] : [],
    );
    const empty = lookups.filter((l) => !builtIn.includes(l.table) && !shown.has(l.table));
    return [...groupBy(empty, (l) => String(l.table))].map(([table, named]) => ({
      code: "TABLE_NOT_THERE",
      text: text("contradiction.no-table", { table }),
      origins: [...named.map((l) => l.rule.origin), startOf(whole[0]!.dump)],
    }));
  });
