import {
  isNftValue,
  type NftBinary,
  type NftElement,
  type NftExpression,
  type NftSelector,
  type NftSetReference,
  type NftValue,
  type NftVerdict,
} from "../../model/index.ts";
import { parseAddress } from "../../net/index.ts";
import { type Cursor, NotUnderstood } from "./cursor.ts";
import {
  BARE_META,
  CT_KEYS,
  EXTENSION_FIELDS,
  EXTENSION_HEADERS,
  META_ALIASES,
  META_KEYS,
  PAYLOAD,
  TUNNELS,
} from "./names.ts";
import { atom, constantOf, secondsOf } from "./value.ts";

const OPERATORS: ReadonlyMap<string, NftBinary> = new Map([
  ["&", "&"],
  ["and", "&"],
  ["|", "|"],
  ["or", "|"],
  ["^", "^"],
  ["xor", "^"],
  ["<<", "<<"],
  ["lshift", "<<"],
  [">>", ">>"],
  ["rshift", ">>"],
]);
/** As C has it: shifts bind most, then and, xor, or (nft's grammar). */
const LEVELS: readonly (readonly NftBinary[])[] = [["|"], ["^"], ["&"], ["<<", ">>"]];

/** Does a selector start here? */
export function startsSelector(c: Cursor): boolean {
  const { kind, text } = c.peek();
  if (kind === "punctuation") return text === "@" && c.peek(1).kind === "word" && c.peek(2).text === ",";
  if (kind !== "word") return false;
  if (BARE_META.has(text)) return c.peek(1).text !== ":" && !isLabel(c);
  switch (text) {
    case "meta":
    case "ct":
    case "fib":
    case "numgen":
    case "jhash":
    case "symhash":
    case "socket":
    case "rt":
    case "exthdr":
    case "osf":
    case "ipsec":
    case "tunnel":
      return c.peek(1).kind === "word" || c.peek(1).kind === "string";
    default: {
      if (EXTENSION_HEADERS.has(text)) return EXTENSION_FIELDS.has(c.peek(1).text);
      const fields = PAYLOAD.get(text);
      if (fields === undefined) return false;
      const next = c.peek(1).text;
      return (
        fields.has(next) ||
        isOption(text, next) ||
        (TUNNELS.has(text) && PAYLOAD.has(next)) ||
        (text === "arp" && (next === "saddr" || next === "daddr"))
      );
    }
  }
}

/** A word of a list, not a selector: `{ mark, iif }` never occurs, `pkttype { … }` does. */
const isLabel = (c: Cursor): boolean =>
  c.peek(1).kind === "punctuation" && (c.peek(1).text === "," || c.peek(1).text === "}");

const isOption = (protocol: string, next: string): boolean =>
  (protocol === "tcp" && next === "option") ||
  (protocol === "ip" && next === "option") ||
  (protocol === "sctp" && next === "chunk");

/** A whole expression: concatenation of operations, and a map behind it. */
export function expression(c: Cursor): NftExpression {
  const first = operation(c, 0);
  const parts = [first];
  while (c.is(".") && c.peek().kind === "word") {
    c.next();
    c.skipLines();
    parts.push(operation(c, 0));
  }
  const key: NftExpression = parts.length === 1 ? first : { kind: "concat", parts };
  if (c.is("map") && c.peek().kind === "word") {
    c.next();
    return { kind: "map", key, data: setReference(c) };
  }
  return key;
}

function operation(c: Cursor, level: number): NftExpression {
  const ops = LEVELS[level];
  if (ops === undefined) return primary(c);
  let left = operation(c, level + 1);
  for (;;) {
    const token = c.peek();
    const op = token.kind === "string" ? undefined : OPERATORS.get(token.text);
    if (op === undefined || !ops.includes(op)) return left;
    c.next();
    left = { kind: "binary", op, left, right: operation(c, level + 1) };
  }
}

function primary(c: Cursor): NftExpression {
  const token = c.peek();
  if (token.kind === "punctuation") {
    if (token.text === "(") {
      c.next();
      const inner = listOf(c, expression(c));
      c.expect(")");
      return asList(inner);
    }
    if (token.text === "{") return { kind: "set", set: { kind: "anonymous", elements: elements(c) } };
    if (token.text === "[") return bracketed(c);
    if (token.text === "@") {
      if (c.peek(2).text === "," && c.peek(2).kind === "punctuation") return selector(c);
      c.next();
      return { kind: "set", set: { kind: "named", name: c.word("a set's name") } };
    }
    if (token.text === "~" || token.text === "-") throw new NotUnderstood(token, "this operator is not known");
  }
  if (startsSelector(c)) return selector(c);
  return constant(c);
}

/** `(fin | syn)` of constants is `fin,syn`: one way to write it down. */
function asList(e: NftExpression): NftExpression {
  if (e.kind !== "binary" || e.op !== "|") return e;
  const left = asList(e.left);
  const right = asList(e.right);
  if (!isNftValue(left) || !isNftValue(right) || right.kind === "list") return e;
  return { kind: "list", values: [...(left.kind === "list" ? left.values : [left]), right] };
}

/** `established,related`: flags that are written as a list. */
export function listOf(c: Cursor, first: NftExpression): NftExpression {
  if (!c.is(",") || !isNftValue(first)) return first;
  const values: NftValue[] = [first];
  while (c.take(",")) {
    c.skipLines();
    const more = primary(c);
    if (!isNftValue(more)) throw new NotUnderstood(c.peek(), "a constant should stand in this list");
    values.push(more);
  }
  return { kind: "list", values };
}

/** `[fd00::1]`, with a port behind it where it is written so; the port is left to the caller as a word that starts with `:`. */
function bracketed(c: Cursor): NftExpression {
  c.expect("[");
  const text = c.word("an address");
  c.expect("]");
  return constantOf(text);
}

/** A constant, taken apart where one word holds several things. */
export function constant(c: Cursor): NftValue {
  const token = c.peek();
  if (token.kind === "string") {
    c.next();
    // `"09:00"-"17:00"`
    if (c.is("-") && c.peek().kind === "word" && c.peek(1).kind === "string") {
      c.next();
      const to = c.next().text;
      return { kind: "range", from: { kind: "symbol", text: token.text }, to: { kind: "symbol", text: to } };
    }
    const star = token.text.endsWith("*");
    return { kind: "name", value: star ? token.text.slice(0, -1) : token.text, prefix: star };
  }
  if (token.kind !== "word") throw new NotUnderstood(token, "a value should stand here");
  if (token.text === "exists" || token.text === "missing") {
    c.next();
    return { kind: "exists", value: token.text === "exists" };
  }
  c.next();
  const value = constantOf(token.text);
  // `1024 - 65535` and `10.0.0.1 - 10.0.0.9`, spaced.
  if (c.is("-") && c.peek().kind === "word" && value.kind !== "symbol") {
    c.next();
    return { kind: "range", from: value, to: constantOf(c.word("the end of a range")) };
  }
  return value;
}

export function setReference(c: Cursor): NftSetReference {
  if (c.take("@")) return { kind: "named", name: c.word("a set's name") };
  if (c.take("$")) throw new NotUnderstood(c.peek(), "nothing defines this name");
  return { kind: "anonymous", elements: elements(c) };
}

export function elements(c: Cursor): NftElement[] {
  c.expect("{");
  const list: NftElement[] = [];
  for (;;) {
    while (c.peek().kind === "end of line" || c.peek().kind === "handle" || c.is(",")) c.next();
    if (c.take("}")) return list;
    const added = element(c);
    // `{ $A, $B }` where a name stands for a set: its elements.
    const inner = added.key.kind === "set" && added.key.set.kind === "anonymous" ? added.key.set.elements : undefined;
    if (inner === undefined) list.push(added);
    else for (const e of inner) list.push(e);
  }
}

function element(c: Cursor): NftElement {
  let key = keyOf(c);
  const extra: { comment?: string; timeout?: number; expires?: number; statements?: string[] } = {};
  for (;;) {
    if (c.take("timeout")) extra.timeout = seconds(c);
    else if (c.take("expires")) extra.expires = seconds(c);
    else if (c.take("comment")) extra.comment = c.word("a comment");
    else if (["counter", "limit", "quota", "ct", "last"].includes(c.peek().text) && c.peek().kind === "word") {
      const words: string[] = [];
      while (
        !c.is(",") &&
        !c.is("}") &&
        !c.is(":") &&
        !c.is("timeout") &&
        !c.is("expires") &&
        !c.is("comment") &&
        c.peek().kind !== "end"
      ) {
        const t = c.next();
        if (t.kind !== "end of line") words.push(t.text);
      }
      extra.statements = [...(extra.statements ?? []), ...words];
    } else break;
  }
  c.skipLines();
  if (c.take(":")) {
    c.skipLines();
    return { key, ...extra, data: dataOf(c), ...tail(c) };
  }
  // `80:accept`, `80: accept`, in one word with the key.
  if (key.kind === "symbol" && key.text.includes(":")) {
    const cut = key.text.indexOf(":");
    const after = key.text.slice(cut + 1);
    key = constantOf(key.text.slice(0, cut));
    const data = after === "" ? dataOf(c) : (verdictWord(c, after) ?? constantOf(after));
    return { key, ...extra, data, ...tail(c) };
  }
  return { key, ...extra };
}

/** A map's element may have its comment behind the data. */
function tail(c: Cursor): { comment?: string } {
  return c.take("comment") ? { comment: c.word("a comment") } : {};
}

function keyOf(c: Cursor): NftExpression {
  const parts: NftExpression[] = [operation(c, 0)];
  while (c.is(".") && c.peek().kind === "word") {
    c.next();
    c.skipLines();
    parts.push(operation(c, 0));
  }
  return parts.length === 1 ? parts[0]! : { kind: "concat", parts };
}

function seconds(c: Cursor): number {
  const token = c.peek();
  const value = secondsOf(c.word("a time"));
  if (value === undefined) throw new NotUnderstood(token, "a time should stand here");
  return value;
}

function dataOf(c: Cursor): NftExpression | NftVerdict {
  const verdict = c.peek().kind === "word" ? verdictAt(c) : undefined;
  return verdict ?? expression(c);
}

const PLAIN: ReadonlySet<string> = new Set(["accept", "drop", "continue", "return"]);

/** A verdict, if one stands here. */
export function verdictAt(c: Cursor): NftVerdict | undefined {
  const { kind, text } = c.peek();
  if (kind !== "word") return undefined;
  if (PLAIN.has(text) || ((text === "jump" || text === "goto") && c.peek(1).text !== "{")) {
    c.next();
    return verdictWord(c, text);
  }
  return undefined;
}

function verdictWord(c: Cursor, text: string): NftVerdict | undefined {
  if (text === "accept" || text === "drop" || text === "continue" || text === "return") return { kind: text };
  if (text === "jump" || text === "goto") return { kind: text, chain: c.word("a chain's name") };
  return undefined;
}

/** What a rule looks at. */
export function selector(c: Cursor): NftSelector {
  const token = c.next();
  const word = token.text;
  if (word === "@" && token.kind === "punctuation") {
    const base = c.word("a header");
    c.expect(",");
    const offset = c.number("the offset");
    c.expect(",");
    return { kind: "raw", base, offset, length: c.number("the length") };
  }
  switch (word) {
    case "meta": {
      const key = c.word("a meta key");
      if (!META_KEYS.has(key) && !META_ALIASES.has(key)) throw new NotUnderstood(token, `meta ${key} is not known`);
      return { kind: "meta", key: META_ALIASES.get(key) ?? key };
    }
    case "ct":
      return ct(c);
    case "rt":
      if (EXTENSION_FIELDS.has(c.peek().text)) return { kind: "exthdr", header: "rt", field: c.next().text };
      return { kind: "rt", ...family(c), key: c.word("a route key") };
    case "socket": {
      const key = c.word("a socket key");
      return { kind: "socket", key, ...(c.take("level") && { level: c.number("the level") }) };
    }
    case "fib":
      return fib(c);
    case "numgen":
      return numgen(c);
    case "jhash": {
      const key = expression(c);
      c.expect("mod");
      const mod = c.number("the modulus");
      const seed = c.take("seed") ? c.number("the seed") : undefined;
      const offset = c.take("offset") ? c.number("the offset") : 0;
      return { kind: "jhash", key, mod, ...(seed !== undefined && { seed }), offset };
    }
    case "symhash": {
      c.expect("mod");
      const mod = c.number("the modulus");
      return { kind: "symhash", mod, offset: c.take("offset") ? c.number("the offset") : 0 };
    }
    case "exthdr":
      return { kind: "exthdr", header: c.word("a header") };
    case "tunnel":
      return { kind: "other", words: ["tunnel", c.word("a key")] };
    case "osf": {
      const words = c.take("ttl") ? ["osf", "ttl", c.word("a mode")] : ["osf"];
      return { kind: "other", words: [...words, c.word("a key")] };
    }
    case "ipsec": {
      const words = ["ipsec", c.word("a direction")];
      if (c.take("spnum")) words.push("spnum", String(c.number("a number")));
      if (c.is("ip") || c.is("ip6")) words.push(c.next().text);
      return { kind: "other", words: [...words, c.word("a key")] };
    }
    default:
      return header(c, word);
  }
}

function header(c: Cursor, word: string): NftSelector {
  if (BARE_META.has(word)) return { kind: "meta", key: META_ALIASES.get(word) ?? word };
  if (EXTENSION_HEADERS.has(word)) return { kind: "exthdr", header: word, field: c.word("a field") };
  if (c.is("option") || c.is("chunk")) {
    c.next();
    return option(c, word);
  }
  if (TUNNELS.has(word) && PAYLOAD.has(c.peek().text)) {
    const inner = c.next().text;
    return { kind: "payload", protocol: `${word} ${inner}`, field: c.word("a field") };
  }
  if (word === "arp" && (c.is("saddr") || c.is("daddr"))) {
    const side = c.next().text;
    return { kind: "payload", protocol: "arp", field: `${side} ${c.word("ether or ip")}` };
  }
  return { kind: "payload", protocol: word, field: c.word("a field") };
}

const OPTION_FIELDS: ReadonlySet<string> = new Set([
  "kind",
  "length",
  "size",
  "count",
  "left",
  "right",
  "tsval",
  "tsecr",
  "type",
  "ptr",
  "value",
  "addr",
  "data",
  "subtype",
  "flags",
]);

function option(c: Cursor, protocol: string): NftSelector {
  let name = c.word("an option");
  if (name === "@") name = "@";
  if (c.peek(-1).text === "@") name = `@${name}`;
  const field = c.peek().kind === "word" && OPTION_FIELDS.has(c.peek().text) ? { field: c.next().text } : {};
  if (protocol === "tcp") return { kind: "tcp option", option: name, ...field };
  if (protocol === "ip") return { kind: "ip option", option: name, ...field };
  const chunkField =
    "field" in field
      ? field
      : c.peek().kind === "word" && !c.is("exists") && !c.is("missing")
        ? { field: c.next().text }
        : {};
  return { kind: "sctp chunk", chunk: name, ...chunkField };
}

const family = (c: Cursor): { family?: "ip" | "ip6" } =>
  c.take("ip") ? { family: "ip" } : c.take("ip6") ? { family: "ip6" } : {};

const CT_OBJECTS: ReadonlySet<string> = new Set(["timeout", "expectation"]);

function ct(c: Cursor): NftSelector {
  const direction = c.take("original") ? "original" : c.take("reply") ? "reply" : undefined;
  const which = direction === undefined ? {} : family(c);
  const token = c.peek();
  let key = c.word("a ct key");
  if (!CT_KEYS.has(key) && !(CT_OBJECTS.has(key) && c.is("set")))
    throw new NotUnderstood(token, `ct ${key} is not known`);
  if (key === "protocol") key = "l4proto";
  return { kind: "ct", key, ...(direction !== undefined && { direction }), ...which };
}

const FIB_RESULTS: ReadonlySet<string> = new Set(["oif", "oifname", "type", "check"]);

function fib(c: Cursor): NftSelector {
  const flags = [c.word("what fib looks up")];
  while (c.take(".")) flags.push(c.word("what fib looks up"));
  const token = c.peek();
  const result = c.word("what fib gives");
  if (!FIB_RESULTS.has(result)) throw new NotUnderstood(token, `fib … ${result} is not known`);
  // nft 1.1.7 prints `check missing` for `oif missing`.
  return { kind: "fib", flags, result: result as "oif" | "oifname" | "type" | "check" };
}

function numgen(c: Cursor): NftSelector {
  const token = c.peek();
  const mode = c.word("inc or random");
  if (mode !== "inc" && mode !== "random") throw new NotUnderstood(token, "numgen is inc or random");
  c.expect("mod");
  const mod = c.number("the modulus");
  return { kind: "numgen", mode, mod, offset: c.take("offset") ? c.number("the offset") : 0 };
}

/** `10.0.0.1:80`, `10.0.0.1-10.0.0.9:80-90`, `:8080`, of a nat statement, as address and port. */
export function splitPort(text: string): { readonly address?: NftValue; readonly port?: NftValue } {
  if (parseAddress(text) !== undefined) return { address: atom(text) };
  const cut = text.lastIndexOf(":");
  if (cut < 0 || /^[0-9a-fA-F:]+-[0-9a-fA-F:]+$/.test(text) || /^[0-9a-fA-F:]+\/\d+$/.test(text))
    return { address: constantOf(text) };
  const before = text.slice(0, cut);
  const after = text.slice(cut + 1);
  return { ...(before !== "" && { address: constantOf(before) }), ...(after !== "" && { port: constantOf(after) }) };
}
