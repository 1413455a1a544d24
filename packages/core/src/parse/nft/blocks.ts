import type {
  NftBase,
  NftElement,
  NftExpression,
  NftFamily,
  NftFlowtable,
  NftHookName,
  NftObject,
  NftSet,
  NftStatement,
  NftType,
  Origin,
} from "../../model/index.ts";
import { sourceOf } from "../source.ts";
import { Cursor, NotUnderstood } from "./cursor.ts";
import { elements, expression } from "./expression.ts";
import { lex } from "./lex.ts";
import { priorityOf } from "./names.ts";
import { limitOf, quotaOf, statement } from "./statement.ts";
import { secondsOf } from "./value.ts";

/** Runs it; where it does not understand, says so and skips the rest of the statement. */
export type Tolerate = (run: () => void) => boolean;

const flat = (e: NftExpression): readonly NftExpression[] => (e.kind === "concat" ? e.parts : [e]);

/** `type nat hook prerouting device eth0 priority dstnat - 5; policy accept;` */
export function baseOf(c: Cursor, family: NftFamily): NftBase {
  c.expect("type");
  const type = c.word("a chain type") as NftBase["type"];
  c.expect("hook");
  const hook = c.word("a hook") as NftHookName;
  const devices = devicesOf(c);
  let priority = 0;
  let policy: "accept" | "drop" = "accept";
  if (c.take("priority")) priority = priorityAt(c, family);
  const at = c.at;
  while (c.peek().kind === "end of line" || c.is(";")) c.next();
  if (c.take("policy")) policy = c.word("a policy") === "drop" ? "drop" : "accept";
  else c.back(at);
  return { type, hook, priority, devices, policy };
}

function devicesOf(c: Cursor): string[] {
  if (c.take("device")) return [c.word("a device")];
  if (!c.take("devices")) return [];
  c.take("=");
  const names: string[] = [];
  c.expect("{");
  while (!c.take("}")) {
    const token = c.next();
    if (token.kind === "end") break;
    if (token.kind === "word" || token.kind === "string") names.push(token.text);
    else if (token.kind === "unknown") throw new NotUnderstood(token, `nothing defines ${token.text}`);
  }
  return names;
}

/** `dstnat - 5`, `filter+10`, `-150`. */
function priorityAt(c: Cursor, family: NftFamily): number {
  const token = c.peek();
  let text = c.word("a priority");
  while (c.peek().kind === "word" && /^[-+]?\d*$/.test(c.peek().text)) text += c.next().text;
  const parts = /^([a-z]+)?([-+]?\d+)?$/.exec(text);
  const base = parts?.[1] === undefined ? 0 : priorityOf(family, parts[1]);
  if (parts === null || base === undefined) throw new NotUnderstood(token, `the priority "${text}" is not known`);
  return base + Number(parts[2] ?? 0);
}

export function setBlock(
  c: Cursor,
  kind: NftSet["kind"],
  name: string,
  origin: Origin,
  tolerate: Tolerate,
): NftSet | undefined {
  if (!c.take("{")) return undefined;
  let key: readonly NftType[] = [];
  let data: readonly NftType[] | undefined;
  let flags: string[] = [];
  let found: NftElement[] | undefined;
  let understood = true;
  let autoMerge = false;
  const extra: { timeout?: number; size?: number; comment?: string } = {};
  const statements: string[] = [];
  for (;;) {
    while (c.peek().kind === "end of line" || c.is(";") || c.peek().kind === "handle") c.next();
    if (c.take("}") || c.peek().kind === "end") break;
    const at = c.at;
    const read = tolerate(() => {
      if (c.take("type") || c.is("typeof")) [key, data] = typesOf(c);
      else if (c.take("flags")) flags = c.rest().filter((w) => w !== ",");
      else if (c.take("timeout")) extra.timeout = secondsOf(c.word("a time")) ?? 0;
      else if (c.take("size")) extra.size = c.number("a size");
      else if (c.take("auto-merge")) autoMerge = true;
      else if (c.take("comment")) extra.comment = c.word("a comment");
      else if (c.take("elements")) {
        c.expect("=");
        c.skipLines();
        found = elements(c).map(deciding);
      } else if (c.is("counter") || c.is("limit") || c.is("quota") || c.is("ct") || c.is("last"))
        statements.push(c.rest().join(" "));
      else if (c.is("gc-interval") || c.is("policy") || c.is("stateful")) c.rest();
      else throw new NotUnderstood(c.peek(), "this part of a set is not known");
    });
    if (!read) understood = false;
    if (c.at === at) c.next();
  }
  // Cut inside: what follows is not known.
  if (c.peek().kind === "end" && c.peek(-1).text !== "}") understood = false;
  return {
    name,
    kind,
    key,
    ...(data !== undefined && { data }),
    flags,
    autoMerge,
    elements: found ?? [],
    elementsKnown: understood,
    ...(statements.length > 0 && { statements }),
    ...extra,
    origin,
  };
}

/** An element with what it limits or counts itself: a rule that finds it may end there. Counters decide nothing. */
function deciding(e: NftElement): NftElement {
  const { statements } = e;
  if (statements?.some((w) => w === "limit" || w === "quota" || w === "count") !== true) return e;
  const c = new Cursor(lex(sourceOf("", statements.join(" "))));
  const decides: NftStatement[] = [];
  while (!c.atEnd()) decides.push(statement(c));
  return { ...e, decides };
}

/** `ipv4_addr . inet_service : verdict`, or `typeof ip daddr . tcp dport : ip daddr`. */
function typesOf(c: Cursor): [readonly NftType[], readonly NftType[] | undefined] {
  const selected = c.take("typeof");
  const side = (): NftType[] => {
    const types: NftType[] = [];
    do {
      c.take(".");
      const ranges = c.take("interval") ? ({ interval: true } as const) : {};
      if (!selected) types.push({ name: c.word("a type").replace(/:$/, ""), ...ranges });
      else if (c.is("verdict")) types.push({ name: c.next().text });
      else for (const of of flat(expression(c))) types.push({ name: "", of, ...ranges });
    } while (c.is("."));
    return types;
  };
  const key = side();
  const colon = c.peek(-1).text.endsWith(":") && !selected;
  return [key, colon || c.take(":") ? side() : undefined];
}

export function flowtableBlock(
  c: Cursor,
  family: NftFamily,
  name: string,
  origin: Origin,
  tolerate: Tolerate,
): NftFlowtable | undefined {
  let devices: string[] = [];
  let priority = 0;
  if (!c.take("{")) return undefined;
  for (;;) {
    while (c.peek().kind === "end of line" || c.is(";") || c.peek().kind === "handle") c.next();
    if (c.take("}") || c.peek().kind === "end") break;
    const at = c.at;
    tolerate(() => {
      if (c.take("hook")) {
        c.word("a hook");
        if (c.take("priority")) priority = priorityAt(c, family);
      } else if (c.is("devices")) devices = devicesOf(c);
      else c.rest();
    });
    if (c.at === at) c.next();
  }
  return { name, devices, priority, origin };
}

/** `counter c { packets 0 bytes 0 }`, `ct helper h { … }`, `limit l { rate 1/second }`. */
export function objectBlock(c: Cursor, origin: Origin): NftObject {
  const token = c.peek();
  let object = c.word("a part of a table");
  if (object === "ct") object = `ct ${c.word("a kind of object")}`;
  if (!isObject(object)) throw new NotUnderstood(token, `"${object}" is no part of a table that is known`);
  return objectNamed(c, object, c.word("a name"), origin);
}

const OBJECTS: ReadonlySet<string> = new Set(["counter", "quota", "limit", "synproxy", "secmark", "tunnel"]);
export const isObject = (what: string): boolean => OBJECTS.has(what) || what.startsWith("ct ");

/** What stands behind an object's name; `add limit ip t l rate 1/second` has no braces. */
export function objectNamed(c: Cursor, object: string, name: string, origin: Origin): NftObject {
  if (!c.take("{")) {
    if (object === "quota") return { kind: "quota", name, quota: quotaOf(c), origin };
    if (object === "limit") return { kind: "limit", name, limit: limitOf(c), origin };
    if (object !== "counter") return { kind: "other", object, name, words: c.rest(), origin };
    c.rest();
    return { kind: "counter", name, packets: 0, bytes: 0, origin };
  }
  c.skipEnds();
  while (c.take("comment")) {
    c.word("a comment");
    c.skipEnds();
  }
  let made: NftObject;
  if (object === "counter") {
    const packets = c.take("packets") ? c.number("packets") : 0;
    made = { kind: "counter", name, packets, bytes: c.take("bytes") ? c.number("bytes") : 0, origin };
  } else if (object === "quota") made = { kind: "quota", name, quota: quotaOf(c), origin };
  else if (object === "limit") made = { kind: "limit", name, limit: limitOf(c), origin };
  else {
    const words: string[] = [];
    for (let depth = 0; ; ) {
      const t = c.peek();
      if (t.kind === "end" || (depth === 0 && c.is("}"))) break;
      if (c.is("{")) depth++;
      if (c.is("}")) depth--;
      c.next();
      words.push(t.kind === "string" ? `"${t.text}"` : t.kind === "end of line" ? ";" : t.text);
    }
    while (words.at(-1) === ";") words.pop();
    made = { kind: "other", object, name, words, origin };
  }
  c.skipEnds();
  while (c.peek().kind === "handle" || c.peek().kind === "end of line") c.next();
  if (c.take("comment")) c.word("a comment");
  c.skipEnds();
  c.expect("}");
  return made;
}
