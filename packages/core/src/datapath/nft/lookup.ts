import {
  isVerdict,
  type NftElement,
  type NftExpression,
  type NftSetReference,
  type NftTable,
  type NftType,
  type NftVerdict,
  nftSymbol,
  nftTypeOf,
} from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { memo } from "../kernel/memo.ts";
import { Intervals } from "./intervals.ts";
import { type Answer, equals, numberIn, type Register } from "./register.ts";
import type { Look } from "./selector.ts";

/** What this walk itself put into sets (`update`, `add`) and took out, by table and name. */
export interface Changes {
  readonly added: Map<string, NftElement>;
  readonly deleted: Set<string>;
  /** An element that nobody can name was put in or taken out. */
  unknown?: true;
}

export function changesOf(kernel: Kernel, table: NftTable, set: string): Changes {
  return memo(kernel.scratch, `nft-set/${table.family} ${table.name}/${set}`, () => ({
    added: new Map(),
    deleted: new Set(),
  })) as Changes;
}

/** Found: the element; missed; or nobody can say. */
export type Found = NftElement | "none" | "unknown";

/** nft_lookup_eval(): the element that holds the key. */
export function lookUp(
  look: Look,
  table: NftTable,
  ref: NftSetReference,
  key: Register,
  types: readonly string[],
): Found {
  if (ref.kind === "anonymous") return search(look.kernel, indexOf(ref.elements, types), key, types);
  const set = setNamed(table, ref.name);
  if (set === undefined)
    return table.extent === "whole" && !isDynamic(look.kernel, table, ref.name)
      ? "unknown"
      : dynamic(look, table, ref.name, key);
  const own = set.key.map(typeName);
  const wanted = own.length === types.length && own.every((t) => t !== "") ? own : types;
  const changes = look.kernel.scratch.get(`nft-set/${table.family} ${table.name}/${ref.name}`) as Changes | undefined;
  const text = changes === undefined ? undefined : keyText(key);
  const added = text === undefined ? undefined : changes?.added.get(text);
  if (added !== undefined) return added;
  if (text !== undefined && changes?.deleted.has(text)) return "none";
  if (!set.elementsKnown || changes?.unknown === true) return "unknown";
  return search(look.kernel, indexOf(set.elements, wanted), key, wanted);
}

const named = new WeakMap<NftTable["sets"], ReadonlyMap<string, NftTable["sets"][number]>>();
/** The set of a table by its name; kube-proxy has one for each Service with affinity. */
export const setNamed = (table: NftTable, name: string): NftTable["sets"][number] | undefined =>
  // Of two that are listed under one name the first counts.
  memo(named, table.sets, () => new Map(table.sets.map((s) => [s.name, s] as const).reverse())).get(name);

const isDynamic = (kernel: Kernel, table: NftTable, name: string): boolean =>
  kernel.scratch.has(`nft-set/${table.family} ${table.name}/${name}`);

/** A meter's set, which no listing declares: what the walk put there. */
function dynamic(look: Look, table: NftTable, name: string, key: Register): Found {
  const changes = look.kernel.scratch.get(`nft-set/${table.family} ${table.name}/${name}`) as Changes | undefined;
  const text = keyText(key);
  return (text === undefined ? undefined : changes?.added.get(text)) ?? (table.extent === "whole" ? "none" : "unknown");
}

export const typeName = (t: NftType): string => (t.of === undefined ? t.name : nftTypeOf(t.of));

/** Elements that are one value, by it; the rest (ranges, prefixes, names that end in a star) in order. */
interface Index {
  readonly exact: ReadonlyMap<string, NftElement>;
  readonly others: readonly NftElement[];
  /** The same, where they can be searched by halving. */
  readonly intervals?: Intervals;
  readonly otherwise?: NftElement;
}

const indexes = new WeakMap<readonly NftElement[], Index>();
/** A set's types do not change, so the elements alone are the key. */
function indexOf(elements: readonly NftElement[], types: readonly string[]): Index {
  return memo(indexes, elements, () => {
    const exact = new Map<string, NftElement>();
    const others: NftElement[] = [];
    let otherwise: NftElement | undefined;
    for (const e of elements) {
      const text = exactText(e.key, types);
      if (e.key.kind === "wildcard") otherwise = e;
      else if (text === undefined) others.push(e);
      else if (!exact.has(text)) exact.set(text, e);
    }
    const intervals = Intervals.of(others);
    return {
      exact,
      others,
      ...(intervals !== undefined && { intervals }),
      ...(otherwise !== undefined && { otherwise }),
    };
  });
}

/** The text under which a plain constant is found. */
function exactText(key: NftExpression, types: readonly string[]): string | undefined {
  switch (key.kind) {
    case "number":
      return `${key.value}`;
    case "address":
      return formatAddress(key.value);
    case "name":
      return key.prefix ? undefined : `"${key.value}"`;
    case "symbol": {
      const n = nftSymbol(types[0] ?? "integer", key.text);
      return n === undefined ? (types[0] === "ifname" ? `"${key.text}"` : undefined) : `${n}`;
    }
    case "concat": {
      const parts = key.parts.map((part, i) => exactText(part, [types[i] ?? "integer"]));
      return parts.every((p) => p !== undefined) ? parts.join(" . ") : undefined;
    }
    default:
      return undefined;
  }
}

/** The same of what the packet has. */
export function keyText(r: Register): string | undefined {
  switch (r.kind) {
    case "number":
      return `${r.value}`;
    case "address":
      return formatAddress(r.value);
    case "device":
      return `"${r.value}"`;
    case "mac":
      return r.value;
    case "port":
    case "any":
      return undefined;
    case "concat": {
      const parts = r.parts.map(keyText);
      return parts.every((p) => p !== undefined) ? parts.join(" . ") : undefined;
    }
  }
}

function search(kernel: Kernel, index: Index, key: Register, types: readonly string[]): Found {
  const text = keyText(key);
  const hit = text === undefined ? undefined : index.exact.get(text);
  if (hit !== undefined) return hit;
  if (key.kind === "address" && index.intervals !== undefined)
    return index.intervals.find(key.value) ?? index.otherwise ?? "none";
  let unknown = false;
  const candidates = text === undefined ? [...index.exact.values(), ...index.others] : index.others;
  for (const e of candidates) {
    const answer = holds(kernel, e.key, key, types);
    if (answer === true) return e;
    if (answer === "unknown") unknown = true;
  }
  if (unknown) return "unknown";
  return index.otherwise ?? "none";
}

/** Does an element's key hold a register? Field by field in a concatenation. */
function holds(kernel: Kernel, key: NftExpression, r: Register, types: readonly string[]): Answer {
  if (key.kind === "concat") {
    if (r.kind !== "concat" || r.parts.length !== key.parts.length) return "unknown";
    let all: Answer = true;
    for (const [i, part] of key.parts.entries()) {
      const answer = holds(kernel, part, r.parts[i]!, [types[i] ?? "integer"]);
      if (answer === false) return false;
      if (answer === "unknown") all = "unknown";
    }
    return all;
  }
  const type = types[0] ?? "integer";
  if (key.kind === "binary" || key.kind === "list") {
    const n = numberIn(type, key);
    return n === undefined || r.kind !== "number" ? "unknown" : n === r.value;
  }
  return isConstant(key) ? equals(kernel, r, type, key) : "unknown";
}

const CONSTANTS: ReadonlySet<string> = new Set([
  "number",
  "address",
  "mac",
  "name",
  "symbol",
  "prefix",
  "range",
  "wildcard",
]);
const isConstant = (
  e: NftExpression,
): e is Extract<
  NftExpression,
  { kind: "number" | "address" | "mac" | "name" | "symbol" | "prefix" | "range" | "wildcard" }
> => CONSTANTS.has(e.kind);

export const verdictOf = (e: NftElement): NftVerdict | undefined =>
  e.data !== undefined && isVerdict(e.data) ? e.data : undefined;

/** What a map gives for an element, as constants with the map's own types. */
export function dataOf(e: NftElement): NftExpression | undefined {
  return e.data === undefined || isVerdict(e.data) ? undefined : e.data;
}
