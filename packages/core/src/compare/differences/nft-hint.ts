import type { NftElement, NftExpression, NftRule, NftStatement, NftTable } from "../../model/index.ts";
import { hostPrefix, type Prefix, protocolNumber, servicePort } from "../../net/index.ts";
import type { Hint } from "../hint.ts";

type Draft = { -readonly [K in keyof Hint]: Hint[K] };

/** What a packet must look like to pass the matches of an nft rule, as far as they say it plainly. */
export function nftHint(table: NftTable, { statements }: NftRule, element?: NftElement): Hint {
  const draft: Draft = {};
  for (const s of statements) addStatement(draft, table, s, element);
  return draft;
}

function addStatement(draft: Draft, table: NftTable, s: NftStatement, element: NftElement | undefined): void {
  if (s.kind === "vmap") {
    const key = element?.key ?? elementsOf(table, { kind: "set", set: s.map })[0]?.key;
    if (key !== undefined) add(draft, s.key, key, false);
  }
  if (s.kind === "dnat" || s.kind === "snat" || s.kind === "redirect") {
    for (const e of [s.address, s.port]) {
      if (e?.kind !== "map") continue;
      const key = element?.key ?? elementsOf(table, { kind: "set", set: e.data })[0]?.key;
      if (key !== undefined) add(draft, e.key, key, false);
    }
  }
  if (s.kind !== "match") return;
  if (s.right.kind !== "set") add(draft, s.left, s.right, s.op === "!=");
  else {
    const key = element?.key ?? elementsOf(table, s.right)[0]?.key;
    if (key !== undefined) add(draft, s.left, key, s.op === "!=");
  }
}

const elementsOf = (table: NftTable, e: NftExpression & { readonly kind: "set" }): readonly NftElement[] => {
  const { set } = e;
  return set.kind === "anonymous" ? set.elements : (table.sets.find((x) => x.name === set.name)?.elements ?? []);
};

/** One comparison, field by field in a concatenation. */
function add(draft: Draft, left: NftExpression, right: NftExpression, negated: boolean): void {
  if (left.kind === "concat") {
    if (right.kind === "concat")
      for (const [i, part] of left.parts.entries()) add(draft, part, right.parts[i]!, negated);
    return;
  }
  if (left.kind === "payload") addPayload(draft, left.protocol, left.field, right, negated);
  if (left.kind === "meta" && left.key === "l4proto" && !negated) {
    const protocol = numberOf(right, "protocol");
    if (protocol !== undefined) draft.protocol = protocol;
  }
  if (left.kind === "meta" && left.key === "mark" && !negated && right.kind === "number" && right.value !== 0)
    draft.mark = { value: right.value, mask: 0xffffffff };
  if (left.kind === "meta" && left.key === "iifname" && !negated && right.kind === "name" && !right.prefix)
    draft.in = right.value;
  if (left.kind === "meta" && left.key === "oifname" && !negated && right.kind === "name" && !right.prefix)
    draft.out = right.value;
  if (left.kind === "fib" && left.result === "type" && left.flags.includes("daddr"))
    if (right.kind === "symbol" && right.text === "local") draft.local = !negated;
}

function addPayload(draft: Draft, protocol: string, field: string, right: NftExpression, negated: boolean): void {
  if ((protocol === "ip" || protocol === "ip6") && (field === "saddr" || field === "daddr")) {
    const prefix = prefixOf(right);
    if (prefix === undefined) return;
    if (field === "saddr")
      Object.assign(draft, negated ? { notSrc: [...(draft.notSrc ?? []), prefix] } : { src: prefix });
    else Object.assign(draft, negated ? { notDst: [...(draft.notDst ?? []), prefix] } : { dst: prefix });
    return;
  }
  if (protocol === "tcp" || protocol === "udp") draft.protocol = protocolNumber(protocol)!;
  if (field !== "dport" && field !== "sport") return;
  const port = numberOf(right, "port");
  if (port === undefined) return;
  if (field === "sport") {
    if (!negated) draft.sport = port;
  } else if (negated) draft.notDport = port;
  else draft.dport = port;
}

function prefixOf(e: NftExpression): Prefix | undefined {
  switch (e.kind) {
    case "address":
      return hostPrefix(e.value);
    case "prefix":
      return e.value.kind === "address" ? { address: e.value.value, length: e.length } : undefined;
    case "range":
      return prefixOf(e.from);
    default:
      return undefined;
  }
}

function numberOf(e: NftExpression, what: "protocol" | "port"): number | undefined {
  if (e.kind === "number") return e.value;
  if (e.kind === "range") return numberOf(e.from, what);
  const text = e.kind === "symbol" ? e.text : e.kind === "name" ? e.value : undefined;
  if (text === undefined) return undefined;
  return what === "protocol" ? protocolNumber(text) : servicePort(text);
}
