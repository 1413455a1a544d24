import { text } from "../../messages/index.ts";
import {
  assumed,
  type Listing,
  type Origin,
  type RoutingRule,
  TABLE_DEFAULT,
  TABLE_LOCAL,
  TABLE_MAIN,
  unread,
} from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import type { Dumped } from "../dumped.ts";
import type { Ledger } from "../ledger.ts";
import { tableId } from "./table-id.ts";

/** The rules every namespace starts with (fib_default_rules_init()). */
export const defaultRules = (origin: Origin, family: Family = 4): readonly RoutingRule[] => {
  const rule = (preference: number, table: number): RoutingRule => ({
    family,
    preference,
    not: false,
    action: { kind: "lookup", table },
    unknown: [],
    origin,
  });
  const first = [rule(0, TABLE_LOCAL), rule(32766, TABLE_MAIN)];
  return family === 4 ? [...first, rule(32767, TABLE_DEFAULT)] : first;
};

/** Rules of both families. Where nobody showed the IPv4 ones, they are those every namespace starts with: an assumption. */
export function mergeRules(
  listings: readonly Dumped<"routing-rules">[],
  stack: string,
  ledger: Ledger,
): Listing<RoutingRule> {
  const v4 = rulesOf(4, listings);
  const v6 = listings.some((l) => l.fact.family === 6) ? rulesOf(6, listings) : unread;
  if (v4.extent === "unread") {
    ledger.assume(`${stack}/ip-rule`, "default", text("assume.routing-rules", { stack }));
  }
  return { items: [...v4.items, ...v6.items], extent: v4.extent };
}

function rulesOf(family: Family, listings: readonly Dumped<"routing-rules">[]): Listing<RoutingRule> {
  const shown = listings.filter((l) => l.fact.family === family);
  const rest = defaultRules(assumed("default routing rules"), family);
  if (shown.length === 0) return { items: rest, extent: "unread" };
  const whole = shown.find((l) => l.fact.extent === "whole");
  const items = uniqueRules((whole === undefined ? shown : [whole]).flatMap((l) => l.fact.rules.map(normal)));
  if (whole !== undefined) return { items, extent: "whole" };
  // Cut by grep: what every kernel starts with is there unless somebody took it away.
  const missing = rest.filter((r) => !items.some((i) => ruleKey(i) === ruleKey(r)));
  return { items: [...items, ...missing], extent: "partial" };
}

const normal = (rule: RoutingRule): RoutingRule =>
  rule.action.kind === "lookup" ? { ...rule, action: { kind: "lookup", table: tableId(rule.action.table) } } : rule;

const ruleKey = ({ origin: _, ...rule }: RoutingRule): string =>
  JSON.stringify(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The same rule shown by two commands; within one listing equal rules are kept, as the kernel keeps them. */
function uniqueRules(rules: readonly RoutingRule[]): readonly RoutingRule[] {
  const seen = new Map<string, string>();
  return rules.filter((r) => {
    const key = ruleKey(r);
    const where = r.origin.kind === "read" ? r.origin.file : "";
    const before = seen.get(key);
    if (before !== undefined && before !== where) return false;
    seen.set(key, where);
    return true;
  });
}
