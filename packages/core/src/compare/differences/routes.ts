import type { Extent, Route, RouteTable, RoutingRule, Stack } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { formatAddress, formatPrefix } from "../../net/index.ts";
import type { Element, NotShown } from "../element.ts";
import type { Hint } from "../hint.ts";

/** Routes by table and what they say; who installed one, and flags that the kernel only reports, are no difference. */
export function differingRoutes(a: Stack, b: Stack, elements: Element[], notShown: NotShown[]): void {
  const [inA, inB] = [tablesOf(a), tablesOf(b)];
  for (const id of new Set([...inA.keys(), ...inB.keys()])) {
    const [x, y] = [inA.get(id), inB.get(id)];
    const where = `table ${name(id)}`;
    // Which sources and marks lead to a table that is not the main one is said by the rules that look it up.
    const ways = [...waysTo(a, id), ...waysTo(b, id)];
    compareLists(x, y, elements, notShown, where, a, b, ways);
  }
}

interface Table {
  readonly routes: readonly Route[];
  readonly extent: Extent;
}

function tablesOf(stack: Stack): ReadonlyMap<string, Table> {
  const out = new Map<string, Table>();
  for (const table of stack.routeTables) {
    const key = `${table.family} ${table.id}`;
    const known = out.get(key);
    out.set(key, {
      routes: [...(known?.routes ?? []), ...table.routes],
      extent: known === undefined || known.extent === table.extent ? table.extent : "partial",
    });
  }
  return out;
}

const NAMES: Readonly<Record<string, string>> = lookup({ 255: "local", 254: "main", 253: "default" });
const name = (key: string): string => {
  const [family, id] = key.split(" ");
  return `${NAMES[id!] ?? id}${family === "6" ? " (IPv6)" : ""}`;
};

function compareLists(
  x: Table | undefined,
  y: Table | undefined,
  elements: Element[],
  notShown: NotShown[],
  where: string,
  a: Stack,
  b: Stack,
  ways: readonly Hint[],
): void {
  const keys = (t: Table | undefined): ReadonlyMap<string, Route> =>
    new Map((t?.routes ?? []).map((r) => [routeKey(r), r]));
  const [left, right] = [keys(x), keys(y)];
  const undumped = (t: Table | undefined, stack: Stack): boolean =>
    t === undefined ? !stack.routeTables.some((r: RouteTable) => r.extent === "whole") : t.extent !== "whole";
  const lonely = (mine: ReadonlyMap<string, Route>, others: ReadonlyMap<string, Route>) =>
    [...mine].filter(([key]) => !others.has(key)).map(([, r]) => r);
  const [onlyA, onlyB] = [lonely(left, right), lonely(right, left)];
  const place = (r: Route): string => `${formatPrefix(r.destination)} ${r.metric ?? 0} ${r.tos ?? 0}`;
  for (const route of onlyA) {
    const at = onlyB.findIndex((r) => place(r) === place(route));
    if (at >= 0) {
      const [other] = onlyB.splice(at, 1);
      elements.push(element(where, "changed", route, other, ways));
    } else if (undumped(y, b)) notShown.push({ where, side: "B" });
    else elements.push(element(where, "only in A", route, undefined, ways));
  }
  for (const route of onlyB) {
    if (undumped(x, a)) notShown.push({ where, side: "A" });
    else elements.push(element(where, "only in B", undefined, route, ways));
  }
}

const SHOWN_FLAGS: ReadonlySet<string> = new Set(["linkdown", "dead", "onlink"]);

function routeKey(r: Route): string {
  const hops = r.nexthops.map((h) =>
    [
      h.gateway === undefined ? "" : formatAddress(h.gateway),
      h.device ?? "",
      r.nexthops.length > 1 ? h.weight : "",
      h.flags.filter((f) => SHOWN_FLAGS.has(f)).join(","),
      h.encap ?? "",
    ].join(" "),
  );
  const source = r.prefSrc === undefined ? "" : formatAddress(r.prefSrc);
  return [
    r.type,
    formatPrefix(r.destination),
    r.metric ?? 0,
    r.tos ?? 0,
    source,
    r.mtu ?? "",
    hops.sort().join(" + "),
  ].join(" | ");
}

function element(
  where: string,
  change: Element["change"],
  a: Route | undefined,
  b: Route | undefined,
  ways: readonly Hint[],
): Element {
  const route = (a ?? b)!;
  const dst = route.destination;
  const hints = ways.map((way): Hint => (dst.length === 0 ? way : { ...way, dst }));
  // The way back: somebody whose address the route leads to asks the node.
  if (dst.length > 0) hints.push({ src: dst });
  return {
    kind: "route",
    where,
    change,
    a: a === undefined ? [] : [a.origin],
    b: b === undefined ? [] : [b.origin],
    rules: [],
    hints,
    family: route.family,
  };
}

function waysTo(stack: Stack, key: string): readonly Hint[] {
  const [family, id] = key.split(" ");
  const rules = stack.routingRules.items.filter(
    (r) => String(r.family) === family && r.action.kind === "lookup" && String(r.action.table) === id,
  );
  const hints = rules.map(hintOfRoutingRule);
  return hints.length === 0 ? [{}] : hints;
}

export function hintOfRoutingRule(rule: RoutingRule): Hint {
  const { from, to, fwmark, fwmask, iif, ipProto, dport } = rule;
  return {
    ...(from !== undefined && from.length > 0 && { src: from }),
    ...(to !== undefined && to.length > 0 && { dst: to }),
    ...(fwmark !== undefined && fwmark !== 0 && { mark: { value: fwmark, mask: fwmask ?? 0xffffffff } }),
    ...(iif !== undefined && { in: iif }),
    ...(ipProto !== undefined && { protocol: ipProto }),
    ...(dport !== undefined && { dport: dport.from }),
  };
}

/** `ip rule`, in the order of preference: what stands between two others matters, the number itself does not. */
export function differingRoutingRules(a: Stack, b: Stack, elements: Element[], notShown: NotShown[]): void {
  for (const family of [4, 6] as const) {
    const of = (s: Stack) => s.routingRules.items.filter((r) => r.family === family);
    const keyed = (s: Stack) => new Map(of(s).map((r) => [ruleKey(r), r] as const));
    const [left, right] = [keyed(a), keyed(b)];
    if ([...left.keys()].join("\n") === [...right.keys()].join("\n")) continue;
    const sequence = (s: Stack) =>
      [...of(s)].sort((x, y) => x.preference - y.preference).map((r) => ruleKey({ ...r, preference: 0 }));
    if (sequence(a).join("\n") === sequence(b).join("\n") && !of(a).some((r) => r.action.kind === "goto")) continue;
    const where = `ip${family === 6 ? " -6" : ""} rule`;
    const one = (x: RoutingRule | undefined, y: RoutingRule | undefined): Element => ({
      kind: "routing rule",
      where,
      change: x === undefined ? "only in B" : "only in A",
      a: x === undefined ? [] : [x.origin],
      b: y === undefined ? [] : [y.origin],
      rules: [],
      hints: hintsOf((x ?? y)!),
      family,
    });
    for (const [key, rule] of left) {
      if (right.has(key)) continue;
      if (b.routingRules.extent !== "whole") notShown.push({ where, side: "B" });
      else elements.push(one(rule, undefined));
    }
    for (const [key, rule] of right) {
      if (left.has(key)) continue;
      if (a.routingRules.extent !== "whole") notShown.push({ where, side: "A" });
      else elements.push(one(undefined, rule));
    }
  }
}

/** There, and back: an answer is routed by the rule too. */
function hintsOf(rule: RoutingRule): readonly Hint[] {
  const hint = hintOfRoutingRule(rule);
  const { src, dst, ...rest } = hint;
  return [hint, { ...rest, ...(dst !== undefined && { src: dst }), ...(src !== undefined && { dst: src }) }];
}

function ruleKey(rule: RoutingRule): string {
  const { origin: _, protocol: __, realms: ___, ...rest } = rule;
  return JSON.stringify(Object.entries(rest).sort(([x], [y]) => (x < y ? -1 : 1)));
}
