import { assumed, type Route, type RoutingRule, type Stack, TABLE_LOCAL, TABLE_MAIN } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { memo } from "../kernel/memo.ts";
import { Fib6Table } from "./fib6-table.ts";

/** IPv6 routing of a stack, indexed for walking: made once, when the first IPv6 packet is routed. */
export interface CompiledFib6 {
  readonly tables: ReadonlyMap<number | string, Fib6Table>;
  /** Tables that are known to exist but of which nobody showed a line. */
  readonly unread: ReadonlySet<number | string>;
  /** Tables of which no route was shown. */
  readonly unshown: ReadonlySet<number | string>;
  /** Tables of which not every route was shown. */
  readonly cut: ReadonlySet<number | string>;
  readonly rules: readonly RoutingRule[];
}

const compiled = new WeakMap<Stack, CompiledFib6>();
export const fib6Of = (stack: Stack): CompiledFib6 => memo(compiled, stack, () => compile(stack));

function compile(stack: Stack): CompiledFib6 {
  const own = stack.routeTables.filter((t) => t.family === 6);
  const routes = new Map<number | string, Route[]>();
  for (const table of own)
    append(
      memo(routes, table.id, () => [] as Route[]),
      table.routes,
    );
  const ids = (wanted: (t: (typeof own)[number]) => boolean) => new Set(own.filter(wanted).map((t) => t.id));
  return {
    tables: new Map([...routes].map(([id, of]) => [id, new Fib6Table(id, of)])),
    unread: ids((t) => t.extent === "unread"),
    unshown: ids((t) => t.extent !== "whole" && !t.routes.some((r) => r.origin.kind === "read")),
    cut: ids((t) => t.extent === "partial"),
    rules: rulesOf(stack),
  };
}

function rulesOf({ routingRules }: Stack): readonly RoutingRule[] {
  const shown = routingRules.items.filter((r) => r.family === 6);
  // fib6_rules_net_init(): what every namespace starts with.
  const rules = shown.length > 0 ? shown : [defaultRule(0, TABLE_LOCAL), defaultRule(32766, TABLE_MAIN)];
  return rules
    .map((rule, i) => ({ rule, i }))
    .sort((a, b) => a.rule.preference - b.rule.preference || a.i - b.i)
    .map(({ rule }) => rule);
}

const defaultRule = (preference: number, table: number): RoutingRule => ({
  family: 6,
  preference,
  not: false,
  action: { kind: "lookup", table },
  unknown: [],
  origin: assumed("default routing rules"),
});
