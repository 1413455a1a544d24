import { text } from "../../messages/index.ts";
import {
  isVerdict,
  type NftChain,
  type NftElement,
  type NftExpression,
  type NftRule,
  type NftSet,
  type NftStatement,
  type NftTable,
  type Origin,
  PROXY_NFT,
  proxyNftName,
} from "../../model/index.ts";
import { lacking } from "../../net/append.ts";
import { printElement, printNftRule } from "../../parse/nft/print.ts";
import type { Draft } from "./draft.ts";
import { endpointsOf, type NftEndpoint } from "./nft-endpoints.ts";

/** The gate of 1.37 that serves NodePorts of localhost from userspace is not modelled, and nothing is said of what it writes. */
const isUnmodelled = (name: string): boolean => name.startsWith("localhost-nodeport");

/** Sets that packets fill, and those whose entries hang on kube-proxy's configuration. */
const isDynamic = (set: NftSet): boolean => set.flags.includes("dynamic") || set.timeout !== undefined;

/** Where kube-proxy's own table is not as it should have written it. `ranges`: somebody showed from which ranges ClusterIPs are taken. */
export function nftDifferences(expected: NftTable, actual: NftTable, ranges: boolean): readonly Draft[] {
  const foreign = foreignLayout(expected, actual);
  if (foreign !== undefined) return [foreign];
  return [
    ...expected.sets.flatMap((set) => setDifferences(set, actual, expected)),
    ...expected.chains.flatMap((chain) => chainDifferences(chain, expected, actual, ranges)),
  ];
}

const headsOf = (table: NftTable): ReadonlyMap<string, NftChain> =>
  new Map(
    table.chains.flatMap((c) =>
      c.base === undefined ? [] : [[`${c.name} ${c.base.type} ${c.base.hook} ${c.base.priority}`, c] as const],
    ),
  );

/** Base chains that this release does not make, or makes elsewhere: then every rule would differ, and one word says more. */
function foreignLayout(expected: NftTable, actual: NftTable): Draft | undefined {
  const [a, b] = [headsOf(expected), headsOf(actual)];
  const strange = [...b].filter(([head]) => !a.has(head)).map(([, chain]) => chain);
  const missing = [...a].filter(([head]) => !b.has(head)).map(([, chain]) => chain);
  if (strange.length === 0 && missing.length === 0) return undefined;
  if (strange.length === 0 && b.size > 0 && missing.length < a.size) return undefined;
  return {
    key: `${expected.family} layout`,
    code: "FOREIGN_VERSION",
    text: text("difference.foreign-layout", {
      table: `${expected.family} ${expected.name}`,
      chains: [...strange, ...missing].slice(0, 3).map((c) => c.name),
    }),
    expected: [],
    actual: strange.slice(0, 4).map((c) => c.origin),
  };
}

const plainly = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
const keyOf = (e: NftElement): string => JSON.stringify(e.key, plainly);
const dataOf = (e: NftElement): string => JSON.stringify(e.data ?? null, plainly);

/** The Service that an element is about: its comment says so, else the chain it leads to. */
function serviceOfElement(e: NftElement): string | undefined {
  if (e.comment !== undefined && /^[^\s/]+\/[^\s/]+$/.test(e.comment)) return e.comment;
  if (e.data === undefined || !isVerdict(e.data) || !("chain" in e.data)) return undefined;
  return proxyNftName(e.data.chain)?.service;
}

/** `10.96.0.10 . tcp . 53` as `tcp 10.96.0.10:53`; `tcp . 30080` as `tcp port 30080`. */
function addressOf(e: NftElement): string {
  const words = printElement({ key: e.key }).split(" . ");
  const name = (p: string): string => ({ "6": "tcp", "17": "udp", "132": "sctp" })[p] ?? p;
  if (words.length === 2) return `${name(words[0]!)} port ${words[1]}`;
  const [address, protocol, port] = words;
  if (port === undefined) return words.join(" ");
  return `${name(protocol!)} ${address!.includes(":") ? `[${address}]` : address}:${port}`;
}

function setDifferences(set: NftSet, actual: NftTable, expected: NftTable): readonly Draft[] {
  if (isDynamic(set) || isUnmodelled(set.name)) return [];
  const found = actual.sets.find((s) => s.name === set.name);
  const name = `${expected.family} ${expected.name} ${set.name}`;
  if (found === undefined)
    return [
      {
        key: `set ${name}`,
        code: "SET_MISSING",
        text: text("difference.set-missing", { set: name }),
        expected: [set.origin],
        actual: [actual.origin],
      },
    ];
  if (!found.elementsKnown) return [];
  const there = new Map(found.elements.map((e) => [keyOf(e), e]));
  const wanted = new Map(set.elements.map((e) => [keyOf(e), e]));
  const missing = set.elements.filter((e) => !there.has(keyOf(e)));
  const stray = found.elements.filter((e) => !wanted.has(keyOf(e)));
  const changed = set.elements.flatMap((e) => {
    const other = there.get(keyOf(e));
    return other === undefined || dataOf(other) === dataOf(e) ? [] : [[e, other] as const];
  });
  return [
    ...missing.map((e) => elementDraft(set, name, e, "missing", [set.origin], [found.origin])),
    ...stray.map((e) => elementDraft(set, name, e, "stray", [], [found.origin])),
    ...changed.map(([e, other]): Draft => {
      const service = serviceOfElement(e);
      return {
        ...(service !== undefined && { service }),
        key: `${name} ${keyOf(e)}`,
        code: "SET_ENTRY_CHANGED",
        text: text("difference.set-entry-changed", { set: name, entry: printElement(e), other: printElement(other) }),
        expected: [set.origin],
        actual: [found.origin],
      };
    }),
  ];
}

function elementDraft(
  set: NftSet,
  name: string,
  e: NftElement,
  how: "missing" | "stray",
  expected: readonly Origin[],
  actual: readonly Origin[],
): Draft {
  const service = serviceOfElement(e);
  const address = addressOf(e);
  const base = { ...(service !== undefined && { service }), key: `${name} ${keyOf(e)}`, expected, actual };
  const lacks = how === "missing";
  if (service !== undefined && (set.name === PROXY_NFT.services || set.name === PROXY_NFT.nodePorts)) {
    const port = set.name === PROXY_NFT.nodePorts;
    return lacks
      ? {
          ...base,
          code: port ? "NODE_PORT_MISSING" : "SERVICE_ADDRESS_MISSING",
          text: text("difference.address-missing", { service, address }),
        }
      : {
          ...base,
          code: port ? "NODE_PORT_STALE" : "SERVICE_ADDRESS_STALE",
          text: text("difference.address-stale", { service, address }),
        };
  }
  if (service !== undefined && set.name.startsWith(PROXY_NFT.refusals))
    return lacks
      ? { ...base, code: "REFUSAL_MISSING", text: text("difference.refusal-missing", { service, where: address }) }
      : { ...base, code: "REFUSAL_STRAY", text: text("difference.refusal-stray", { service, where: address }) };
  const entry = printElement(e);
  const key = set.name === PROXY_NFT.nodePortAddresses ? `configured ${base.key}` : base.key;
  return lacks
    ? { ...base, key, code: "SET_ENTRY_MISSING", text: text("difference.set-entry-missing", { set: name, entry }) }
    : { ...base, key, code: "SET_ENTRY_STRAY", text: text("difference.set-entry-stray", { set: name, entry }) };
}

/** A rule without what decides nothing. */
const textOf = ({ statements }: NftRule): string =>
  JSON.stringify(
    statements.filter((s) => s.kind !== "counter" && s.kind !== "no effect").map(withoutSetOfOne),
    plainly,
  );

/** `ip saddr != { 192.0.2.0/24 }` is loaded by some releases of nft as `ip saddr != 192.0.2.0/24`. */
function withoutSetOfOne(statement: NftStatement): NftStatement {
  if (statement.kind !== "match") return statement;
  const { right } = statement;
  if (right.kind !== "set" || right.set.kind !== "anonymous" || right.set.elements.length !== 1) return statement;
  return { ...statement, right: right.set.elements[0]!.key };
}

const isOfUnmodelled = (rule: NftRule): boolean => /localhost-nodeport/.test(printNftRule(rule));
/** `ip daddr { 10.96.0.0/12 } drop`: whether it should be there is in ServiceCIDR objects alone. */
const isOfRanges = ({ name }: NftChain, rule: NftRule): boolean =>
  name === PROXY_NFT.clusterAddresses && rule.statements.some((s) => s.kind === "verdict" && s.verdict.kind === "drop");

function chainDifferences(chain: NftChain, expected: NftTable, actual: NftTable, ranges: boolean): readonly Draft[] {
  if (isUnmodelled(chain.name)) return [];
  const found = actual.chains.find((c) => c.name === chain.name);
  const about = proxyNftName(chain.name);
  // Of a Service whose chain is not there, the element that leads to it tells.
  if (found === undefined && about !== undefined) return [];
  const rules = (of: NftChain | undefined) =>
    (of?.rules ?? []).filter((r) => !isOfUnmodelled(r) && (ranges || !isOfRanges(chain, r)));
  const [a, b] = [endpointsOf(expected, chain), found === undefined ? undefined : endpointsOf(actual, found)];
  const shared = a !== undefined && b !== undefined && about !== undefined;
  const plain = (r: NftRule): boolean => !shared || !(a.rules.includes(r) || b.rules.includes(r));
  const [wanted, there] = [rules(chain).filter(plain), rules(found).filter(plain)];
  const origin = found?.origin ?? actual.origin;
  return [
    ...(shared ? endpointDrafts(about.service, expected, a.endpoints, b.endpoints, [origin]) : []),
    ...lacking(wanted, there, textOf).map((r) => ruleDraft(expected, chain.name, r, "missing", [r.origin], [origin])),
    ...lacking(there, wanted, textOf).map((r) => ruleDraft(expected, chain.name, r, "stray", [], [r.origin])),
  ];
}

function endpointDrafts(
  service: string,
  { family }: NftTable,
  a: ReadonlyMap<string, NftEndpoint>,
  b: ReadonlyMap<string, NftEndpoint>,
  where: readonly Origin[],
): readonly Draft[] {
  const missing = [...a].filter(([e]) => !b.has(e));
  const stray = [...b].filter(([e]) => !a.has(e));
  const draft = (endpoint: string) => ({ service, endpoint, key: `${family} ${service} endpoint ${endpoint}` });
  if (missing.length === 1 && stray.length === 1) {
    const [[endpoint, from], [other, to]] = [missing[0]!, stray[0]!];
    const said = text("difference.endpoint-changed", { service, endpoint, other });
    return [{ ...draft(endpoint), code: "ENDPOINT_CHANGED", text: said, expected: [from.origin], actual: [to.origin] }];
  }
  return [
    ...missing.map(
      ([endpoint, { origin }]): Draft => ({
        ...draft(endpoint),
        code: "ENDPOINT_MISSING",
        text: text("difference.endpoint-missing", { service, endpoint }),
        expected: [origin],
        actual: where,
      }),
    ),
    ...stray.map(
      ([endpoint, { origin }]): Draft => ({
        ...draft(endpoint),
        code: "ENDPOINT_STRAY",
        text: text("difference.endpoint-stray", { service, endpoint }),
        expected: [],
        actual: [origin],
      }),
    ),
  ];
}

/** It marks for masquerading: by the chain that did so up to 1.35, by itself since. */
const marks = (rule: NftRule): boolean =>
  rule.statements.some(
    (s) =>
      (s.kind === "verdict" && "chain" in s.verdict && s.verdict.chain === PROXY_NFT.markForMasquerade) ||
      (s.kind === "set" && isMark(s.target)),
  );
const isMark = (e: NftExpression): boolean => e.kind === "meta" && e.key === "mark";

function ruleDraft(
  { family, name }: NftTable,
  chain: string,
  rule: NftRule,
  how: "missing" | "stray",
  expected: readonly Origin[],
  actual: readonly Origin[],
): Draft {
  const table = `${family} ${name}`;
  const spec = printNftRule(rule);
  const service = proxyNftName(chain)?.service;
  const base = { ...(service !== undefined && { service }), key: `${table} ${chain} ${how} ${spec}`, expected, actual };
  if (service !== undefined && marks(rule)) {
    const params = { service, where: `${table} ${chain}`, rule: spec };
    return how === "missing"
      ? { ...base, code: "MASQUERADE_MISSING", text: text("difference.masquerade-missing", params) }
      : { ...base, code: "MASQUERADE_STRAY", text: text("difference.masquerade-stray", params) };
  }
  return how === "missing"
    ? { ...base, code: "RULE_MISSING", text: text("difference.rule-missing", { table, chain, rule: spec }) }
    : { ...base, code: "RULE_STRAY", text: text("difference.rule-stray", { table, chain, rule: spec }) };
}
