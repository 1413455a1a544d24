import { targetsOf } from "../../compare/index.ts";
import { text } from "../../messages/index.ts";
import { type IptablesTable, type Origin, PROXY_CHAIN, proxyChain, type Rule } from "../../model/index.ts";
import type { Draft } from "./draft.ts";
import type { TableDifference } from "./iptables.ts";
import { addressOf, endpointOf, ruleText, serviceOf, translationOf } from "./rule-texts.ts";

const origins = (rules: readonly Rule[]): readonly Origin[] => rules.map((r) => r.origin);

/** What a difference between chains means for a Service. */
export function classify(d: TableDifference): readonly Draft[] {
  const { a, b, chains, path } = d.element.sides!;
  const shared = sharedEndpoints(d);
  if (shared !== undefined) return shared;
  const [x, y] = [a[0], b[0]];
  const rule = (x ?? y)!;
  const service = serviceOf([rule, ...[...path].reverse()]);
  const chain = x === undefined ? chains[1] : chains[0];
  const base = {
    ...(service !== undefined && { service }),
    expected: origins(a),
    actual: b.length > 0 ? origins(b) : chainHead(d),
    key: `${d.expected.name} ${d.expected.family} ${chain} ${d.element.change} ${ruleText(rule, d.expected)}`,
  };
  const named = service ?? chain;
  const table = d.expected.name;
  const where = whereOf(rule, path) ?? `${table} ${chain}`;
  if (d.element.change === "moved") {
    const spec = ruleText(rule, d.expected);
    return [{ ...base, code: "RULE_MOVED", text: text("difference.rule-moved", { table, chain, rule: spec }) }];
  }
  const [from, to] = [x === undefined ? undefined : translationOf(x), y === undefined ? undefined : translationOf(y)];
  if (from !== undefined || to !== undefined) {
    const endpoint = from ?? to!;
    const draft = { ...base, endpoint, key: `${d.expected.family} ${named} endpoint ${endpoint}` };
    if (from !== undefined && to !== undefined)
      return [
        {
          ...draft,
          code: "ENDPOINT_CHANGED",
          text: text("difference.endpoint-changed", { service: named, endpoint: from, other: to }),
        },
      ];
    return from !== undefined
      ? [
          {
            ...draft,
            code: "ENDPOINT_MISSING",
            text: text("difference.endpoint-missing", { service: named, endpoint: from }),
          },
        ]
      : [
          {
            ...draft,
            code: "ENDPOINT_STRAY",
            text: text("difference.endpoint-stray", { service: named, endpoint: to! }),
          },
        ];
  }
  const marks = (r: Rule | undefined): boolean =>
    r?.target.kind === "jump" && r.target.chain === PROXY_CHAIN["mark-masq"];
  if (marks(x) || marks(y)) {
    const spec = ruleText(rule, d.expected);
    if (x !== undefined && y !== undefined)
      return [
        {
          ...base,
          code: "MASQUERADE_CHANGED",
          text: text("difference.masquerade-changed", {
            service: named,
            where,
            rule: spec,
            other: ruleText(y, d.actual),
          }),
        },
      ];
    return x !== undefined
      ? [
          {
            ...base,
            code: "MASQUERADE_MISSING",
            text: text("difference.masquerade-missing", { service: named, where, rule: spec }),
          },
        ]
      : [
          {
            ...base,
            code: "MASQUERADE_STRAY",
            text: text("difference.masquerade-stray", { service: named, where, rule: spec }),
          },
        ];
  }
  const refuses = (r: Rule | undefined): boolean => r?.target.kind === "reject" || r?.target.kind === "drop";
  if (service !== undefined && (x === undefined || y === undefined) && refuses(rule)) {
    return x !== undefined
      ? [{ ...base, code: "REFUSAL_MISSING", text: text("difference.refusal-missing", { service, where }) }]
      : [{ ...base, code: "REFUSAL_STRAY", text: text("difference.refusal-stray", { service, where }) }];
  }
  const address = addressOf(rule);
  const role = proxyChain(chain);
  const portal =
    (role === "services" || role === "node-ports" || role === "external-services") && rule.target.kind === "jump";
  if (service !== undefined && address !== undefined && portal && (x === undefined || y === undefined)) {
    const port = role === "node-ports";
    if (x !== undefined)
      return [
        {
          ...base,
          code: port ? "NODE_PORT_MISSING" : "SERVICE_ADDRESS_MISSING",
          text: text("difference.address-missing", { service, address }),
        },
      ];
    return [
      {
        ...base,
        code: port ? "NODE_PORT_STALE" : "SERVICE_ADDRESS_STALE",
        text: text("difference.address-stale", { service, address }),
      },
    ];
  }
  return [generic(d, rule, base, chain)];
}

function generic(
  d: TableDifference,
  rule: Rule,
  base: Pick<Draft, "key" | "expected" | "actual">,
  chain: string,
): Draft {
  const { a, b } = d.element.sides!;
  const table = d.expected.name;
  const spec = ruleText(rule, d.expected);
  if (a.length > 0 && b.length > 0)
    return {
      ...base,
      code: "RULE_CHANGED",
      text: text("difference.rule-changed", { table, chain, rule: spec, other: ruleText(b[0]!, d.actual) }),
    };
  return a.length > 0
    ? { ...base, code: "RULE_MISSING", text: text("difference.rule-missing", { table, chain, rule: spec }) }
    : { ...base, code: "RULE_STRAY", text: text("difference.rule-stray", { table, chain, rule: spec }) };
}

/** Where what is missing should stand. */
const chainHead = ({ actual, element }: TableDifference): readonly Origin[] => {
  const chain = actual.chains.find((c) => c.name === element.sides!.chains[1]);
  return chain === undefined ? [] : [chain.origin];
};

/** The address by which packets come to a rule. */
function whereOf(rule: Rule, path: readonly Rule[]): string | undefined {
  for (const r of [rule, ...[...path].reverse()]) {
    const address = addressOf(r);
    if (address !== undefined) return address;
  }
  return undefined;
}

interface Shared {
  readonly endpoints: ReadonlyMap<string, { readonly share: number; readonly rule: Rule }>;
  readonly recent: boolean;
}

/** Whom rules share packets out to; undefined where one of them does something else. */
function sharesOf(rules: readonly Rule[], table: IptablesTable, other: IptablesTable): Shared | undefined {
  const targets = targetsOf(rules);
  if (targets === undefined) return undefined;
  const endpoints = new Map<string, { share: number; rule: Rule }>();
  for (const [chain, { share, rule }] of targets) {
    // A chain that has lost its translation is known by its name.
    const endpoint = endpointOf(table, chain) ?? endpointOf(other, chain);
    if (endpoint === undefined && proxyChain(chain) !== "endpoint") return undefined;
    endpoints.set(endpoint ?? chain, { share, rule });
  }
  return { endpoints, recent: rules.some((r) => r.matches.some((m) => m.kind === "recent")) };
}

/** Rules that lead to endpoints: who is missing, who should not be there, who gets another share. */
function sharedEndpoints(d: TableDifference): readonly Draft[] | undefined {
  const { a, b, path } = d.element.sides!;
  const [x, y] = [sharesOf(a, d.expected, d.actual), sharesOf(b, d.actual, d.expected)];
  if (x === undefined || y === undefined || x.endpoints.size + y.endpoints.size === 0 || d.element.change === "moved")
    return undefined;
  const service = serviceOf([...a, ...b, ...[...path].reverse()]);
  const named = service ?? d.element.where;
  const recent = x.recent || y.recent;
  const base = (endpoint: string) => ({
    ...(service !== undefined && { service }),
    endpoint,
    key: `${d.expected.family} ${named} endpoint ${endpoint}`,
  });
  const missing = [...x.endpoints].filter(([e]) => !y.endpoints.has(e));
  const stray = [...y.endpoints].filter(([e]) => !x.endpoints.has(e));
  const drafts: Draft[] = [];
  if (missing.length === 1 && stray.length === 1 && !recent) {
    const [[endpoint, from], [other, to]] = [missing[0]!, stray[0]!];
    const message = text("difference.endpoint-changed", { service: named, endpoint, other });
    return [
      {
        ...base(endpoint),
        code: "ENDPOINT_CHANGED",
        text: message,
        expected: [from.rule.origin],
        actual: [to.rule.origin],
      },
    ];
  }
  for (const [endpoint, { rule }] of missing) {
    drafts.push({
      ...base(endpoint),
      code: recent ? "AFFINITY_MISSING" : "ENDPOINT_MISSING",
      text: text(recent ? "difference.affinity-missing" : "difference.endpoint-missing", { service: named, endpoint }),
      expected: [rule.origin],
      actual: origins(b),
    });
  }
  for (const [endpoint, { rule }] of stray) {
    drafts.push({
      ...base(endpoint),
      code: recent ? "AFFINITY_STRAY" : "ENDPOINT_STRAY",
      text: text(recent ? "difference.affinity-stray" : "difference.endpoint-stray", { service: named, endpoint }),
      expected: origins(a),
      actual: [rule.origin],
    });
  }
  if (drafts.length > 0) return drafts;
  const percent = (s: Shared): readonly string[] =>
    [...s.endpoints].map(([e, { share }]) => `${e} ${Math.round(share * 1000) / 10}%`);
  return [
    {
      ...base("shares"),
      code: "ENDPOINT_SHARES",
      text: text("difference.endpoint-shares", { service: named, shares: percent(x), others: percent(y) }),
      expected: origins(a),
      actual: origins(b),
    },
  ];
}
