import {
  isNftValue,
  type NftCompare,
  type NftExpression,
  type NftLimit,
  type NftNat,
  type NftQuota,
  type NftStatement,
} from "../../model/index.ts";
import { type Cursor, NotUnderstood } from "./cursor.ts";
import { constant, expression, listOf, setReference, splitPort, startsSelector, verdictAt } from "./expression.ts";
import { constantOf, secondsOf } from "./value.ts";

const COMPARE: ReadonlyMap<string, NftCompare> = new Map([
  ["==", "=="],
  ["eq", "=="],
  ["!=", "!="],
  ["ne", "!="],
  ["neq", "!="],
  ["<", "<"],
  ["lt", "<"],
  [">", ">"],
  ["gt", ">"],
  ["<=", "<="],
  ["le", "<="],
  ["lte", "<="],
  [">=", ">="],
  ["ge", ">="],
  ["gte", ">="],
]);

/** One statement of a rule. */
export function statement(c: Cursor): NftStatement {
  const token = c.peek();
  const verdict = verdictAt(c);
  if (verdict !== undefined) return { kind: "verdict", verdict };
  if (token.kind === "word") {
    const known = STATEMENTS.get(token.text);
    const made = known?.(c);
    if (made !== undefined) return made;
  }
  return matchOrSet(c);
}

function matchOrSet(c: Cursor): NftStatement {
  const token = c.peek();
  const left = expression(c);
  if (c.take("vmap")) return { kind: "vmap", key: left, map: setReference(c) };
  if (c.is("set") && c.peek().kind === "word") {
    c.next();
    if (left.kind === "ct" && ["helper", "timeout", "expectation"].includes(left.key)) {
      return { kind: "object", object: `ct ${left.key}`, name: nameOrMap(c) };
    }
    return { kind: "set", target: left, value: listOf(c, expression(c)) };
  }
  if (isNftValue(left)) throw new NotUnderstood(token, "a rule does not start like this");
  let op: NftCompare = "in";
  const found = c.peek().kind === "string" ? undefined : COMPARE.get(c.peek().text);
  if (found !== undefined) {
    c.next();
    op = found;
  } else if (c.take("!")) op = "!";
  const right = listOf(c, expression(c));
  // `syn / fin,syn,rst,ack`: a value and its mask.
  if (c.is("/") && c.peek().kind === "word") {
    c.next();
    const mask = listOf(c, expression(c));
    return {
      kind: "match",
      left: { kind: "binary", op: "&", left, right: mask },
      op: op === "!=" ? "!=" : "==",
      right,
    };
  }
  return { kind: "match", left, op, right };
}

type Reader = (c: Cursor) => NftStatement | undefined;

const nameOrMap = (c: Cursor): NftExpression | string => {
  const { kind, text } = c.peek();
  if (kind === "string" || (kind === "word" && !startsSelector(c))) {
    c.next();
    return text;
  }
  return expression(c);
};

const counter: Reader = (c) => {
  c.next();
  if (c.take("name")) return { kind: "counter", name: nameOrMap(c) };
  if (c.peek().kind === "string") return { kind: "counter", name: c.next().text };
  const counts: { packets?: number; bytes?: number } = {};
  while (c.is("packets") || c.is("bytes")) {
    const unit = c.next().text as "packets" | "bytes";
    counts[unit] = c.number(unit);
  }
  return { kind: "counter", ...counts };
};

const SIZES: ReadonlyMap<string, number> = new Map([
  ["bytes", 1],
  ["string", 1],
  ["kbytes", 1024],
  ["mbytes", 1024 * 1024],
]);

const RATE = /^(\d+)([a-z]+)?\/(second|minute|hour|day|week)$/;
const BURST = /^(\d+)(bytes|kbytes|mbytes)?$/;

/** `rate [over] 10/second [burst 5 packets]`, `rate 1 mbytes/second`, however the blanks stand. */
export function limitOf(c: Cursor): NftLimit {
  c.take("rate");
  const over = c.take("over");
  c.take("until");
  const token = c.peek();
  let text = c.word("a rate");
  for (let i = 0; i < 3 && !RATE.test(text) && c.peek().kind === "word"; i++) text += c.next().text;
  const parts = RATE.exec(text);
  const scale = parts?.[2] === undefined ? 1 : SIZES.get(parts[2]);
  if (parts === null || scale === undefined) throw new NotUnderstood(token, "this rate is not understood");
  let burst: number | undefined;
  if (c.take("burst")) {
    const at = c.peek();
    const size = BURST.exec(c.word("a burst"));
    if (size === null) throw new NotUnderstood(at, "this burst is not understood");
    burst = Number(size[1]) * (size[2] === undefined ? 1 : SIZES.get(size[2])!);
    const unit = c.peek().kind === "word" ? SIZES.get(c.peek().text) : undefined;
    if (unit !== undefined) {
      c.next();
      burst *= unit;
    } else c.take("packets");
  }
  return {
    kind: "limit",
    over,
    rate: Number(parts[1]) * scale,
    unit: parts[2] === undefined ? "packets" : "bytes",
    per: parts[3] as NftLimit["per"],
    ...(burst !== undefined && { burst }),
  };
}

const limit: Reader = (c) => {
  c.next();
  if (c.take("name")) return { kind: "object", object: "limit", name: nameOrMap(c) };
  return limitOf(c);
};

/** `[over|until] 25 mbytes [used 3 bytes]`. */
export function quotaOf(c: Cursor): NftQuota {
  const over = c.take("over");
  c.take("until");
  const size = () => {
    const count = c.number("a size");
    const unit = c.peek().kind === "word" ? SIZES.get(c.peek().text) : undefined;
    if (unit === undefined) return count;
    c.next();
    return count * unit;
  };
  const bytes = size();
  return { kind: "quota", over, bytes, used: c.take("used") ? size() : 0 };
}

const quota: Reader = (c) => {
  c.next();
  if (c.take("name")) return { kind: "object", object: "quota", name: nameOrMap(c) };
  return quotaOf(c);
};

const ctStatement: Reader = (c) => {
  if (c.peek(1).text !== "count") return undefined;
  c.next();
  c.next();
  const over = c.take("over");
  return { kind: "ct count", over, count: c.number("a count") };
};

const LOG_WORDS: ReadonlySet<string> = new Set(["level", "group", "prefix", "snaplen", "queue-threshold", "flags"]);

const log: Reader = (c) => {
  c.next();
  const made: { prefix?: string; level?: string; group?: number } = {};
  const rest: string[] = [];
  while (c.peek().kind === "word" && LOG_WORDS.has(c.peek().text)) {
    const word = c.next().text;
    if (word === "prefix") made.prefix = c.word("a prefix");
    else if (word === "level") made.level = c.word("a level");
    else if (word === "group") made.group = c.number("a group");
    else if (word === "flags") {
      rest.push(word, c.word("flags"));
      // `flags tcp sequence,options`, `flags ip options`, `flags skuid`, `flags all`.
      while (["sequence", "options"].includes(c.peek().text) || c.is(",")) rest.push(c.next().text);
    } else rest.push(word, String(c.number(word)));
  }
  return { kind: "log", ...made, rest };
};

const reject: Reader = (c) => {
  c.next();
  if (!c.take("with")) return { kind: "reject" };
  if (c.takeAll("tcp", "reset")) return { kind: "reject", with: "tcp reset" };
  const family = c.take("icmp") ? "icmp" : c.take("icmpv6") ? "icmpv6" : c.take("icmpx") ? "icmpx" : undefined;
  if (family === undefined) throw new NotUnderstood(c.peek(), "this kind of reject is not known");
  c.take("type");
  c.take("code");
  return { kind: "reject", with: family, code: c.word("what it answers") };
};

const natFlags = (c: Cursor): Pick<NftNat, "random" | "fullyRandom" | "persistent"> => {
  const flags = { random: false, fullyRandom: false, persistent: false };
  for (;;) {
    if (c.take("random")) flags.random = true;
    else if (c.take("fully-random")) flags.fullyRandom = true;
    else if (c.take("persistent")) flags.persistent = true;
    else if (!c.take(",")) return flags;
  }
};

/** What stands behind `to`: an address, `A:P`, `[A]:P`, `:P`, a map, a concatenation. */
function natTarget(c: Cursor): Pick<NftNat, "address" | "port"> {
  const token = c.peek();
  if (token.kind === "word" && !startsSelector(c)) {
    c.next();
    const parts = splitPort(token.text);
    if (token.text.endsWith(":")) {
      // `10.0.0.1: 80`, and `: tcp dport map {…}`.
      return { ...parts, port: startsSelector(c) ? expression(c) : constant(c) };
    }
    if (c.is("-") && parts.address !== undefined && parts.port === undefined) {
      c.next();
      const behind = splitPort(c.word("the end of a range"));
      return {
        address: { kind: "range", from: parts.address, to: behind.address ?? parts.address },
        ...(behind.port !== undefined && { port: behind.port }),
      };
    }
    if (c.is(".") && parts.address !== undefined) {
      c.next();
      return { address: parts.address, port: constant(c) };
    }
    return parts;
  }
  const address = expression(c);
  const range = c.peek();
  if (range.kind === "word" && range.text.startsWith("-")) {
    c.next();
    const rest = range.text === "-" ? undefined : range.text.slice(1);
    const to = rest !== undefined ? constantOf(rest) : c.is("[") ? expression(c) : constant(c);
    if (isNftValue(address) && isNftValue(to))
      return { address: { kind: "range", from: address, to }, ...portBehind(c) };
  }
  return { address, ...portBehind(c) };
}

/** `:80` behind `]` or behind a map. */
function portBehind(c: Cursor): Pick<NftNat, "port"> {
  const { kind, text } = c.peek();
  if (kind !== "word" || !text.startsWith(":")) return {};
  c.next();
  return { port: text === ":" ? (startsSelector(c) ? expression(c) : constant(c)) : constantOf(text.slice(1)) };
}

const nat =
  (kind: NftNat["kind"]): Reader =>
  (c) => {
    c.next();
    const family = startsSelector(c) ? undefined : c.take("ip") ? "ip" : c.take("ip6") ? "ip6" : undefined;
    const prefix = c.take("prefix");
    c.take("interval");
    // 0.9.8: `dnat ip addr . port to …`
    if (c.take("addr")) {
      c.take(".");
      c.take("port");
    }
    const target = c.take("to")
      ? natTarget(c)
      : kind === "masquerade" || kind === "redirect" || c.atEnd()
        ? {}
        : natTarget(c);
    return {
      kind,
      ...(family !== undefined && { family }),
      ...(prefix && { prefix: true as const }),
      ...target,
      ...natFlags(c),
    };
  };

const UPDATES: ReadonlySet<string> = new Set(["add", "update", "delete"]);

/** `update @s { ip saddr timeout 1h }`, `add @m { ip saddr : 1 }`, and the older `set add ip saddr @s`. */
function updateOf(c: Cursor): NftStatement | undefined {
  const op = c.peek().text;
  if (!UPDATES.has(op) || c.peek(1).text !== "@") return undefined;
  c.next();
  c.next();
  const set = c.word("a set's name");
  c.expect("{");
  const made = updateBody(c);
  c.expect("}");
  return { kind: "update", op: op as "add" | "update" | "delete", set, ...made };
}

function updateBody(c: Cursor) {
  const key = expression(c);
  let timeout: number | undefined;
  const statements: NftStatement[] = [];
  let data: NftExpression | undefined;
  for (;;) {
    c.skipLines();
    if (c.take("timeout")) timeout = secondsOf(c.word("a time")) ?? 0;
    else if (c.take("expires")) c.word("a time");
    else if (c.take("comment")) c.word("a comment");
    else if (c.take(":")) data = listOf(c, expression(c));
    else if (c.peek().kind === "word" && ["limit", "quota", "ct", "counter", "last"].includes(c.peek().text))
      statements.push(statement(c));
    else break;
  }
  return { key, ...(data !== undefined && { data }), ...(timeout !== undefined && { timeout }), statements };
}

const setStatement: Reader = (c) => {
  if (!UPDATES.has(c.peek(1).text)) return undefined;
  c.next();
  const op = c.next().text as "add" | "update" | "delete";
  const made = updateBody(c);
  c.expect("@");
  return { kind: "update", op, set: c.word("a set's name"), ...made };
};

/** `meter name { ip saddr limit rate … }` and `flow table name { … }` of older releases: a dynamic set of its own. */
const meter: Reader = (c) => {
  c.next();
  const set = c.word("a meter's name");
  const size = c.take("size") ? c.number("a size") : undefined;
  c.expect("{");
  const made = updateBody(c);
  c.expect("}");
  return { kind: "update", op: "update", set, ...made, meter: size === undefined ? {} : { size } };
};

const tproxy: Reader = (c) => {
  c.next();
  const family = c.take("ip") ? "ip" : c.take("ip6") ? "ip6" : undefined;
  c.expect("to");
  const { address, port } = natTarget(c);
  return {
    kind: "tproxy",
    ...(family !== undefined && { family }),
    ...(address !== undefined && { address }),
    ...(port !== undefined && { port }),
  };
};

/** Options of `queue` and of the like: words up to the next statement. */
const words =
  (kind: "queue" | "dup" | "fwd" | "synproxy"): Reader =>
  (c) => {
    c.next();
    if (kind === "synproxy" && c.take("name")) return { kind: "object", object: "synproxy", name: nameOrMap(c) };
    const list: string[] = [];
    while (!c.atEnd() && c.peek().kind !== "handle" && !c.is("comment") && !c.is("counter") && !c.is("accept")) {
      const token = c.next();
      if (token.kind === "punctuation" && token.text === "{") {
        list.push("{");
        while (c.peek().kind !== "end" && !c.is("}")) list.push(c.next().text);
        if (c.take("}")) list.push("}");
      } else list.push(token.kind === "string" ? `"${token.text}"` : token.text);
    }
    return { kind, words: list };
  };

const flow: Reader = (c) => {
  if (!["add", "offload", "delete"].includes(c.peek(1).text)) return undefined;
  c.next();
  c.next();
  c.take("@");
  return { kind: "flow", table: c.word("a flowtable") };
};

const xt: Reader = (c) => {
  c.next();
  const what = c.take("match") ? "match" : c.take("target") ? "target" : "unknown";
  const name = c.atEnd() ? "" : c.word("an extension");
  return { kind: "xt", what, name };
};

/** `jump { … }`: rules in place of a chain's name. */
const inline: Reader = (c) => {
  if (c.peek(1).text !== "{") return undefined;
  const op = c.next().text as "jump" | "goto";
  c.expect("{");
  const rules: NftStatement[][] = [];
  for (c.skipEnds(); !c.take("}"); c.skipEnds()) {
    if (c.peek().kind === "end") throw new NotUnderstood(c.peek(), "a chain should end before this");
    const made: NftStatement[] = [];
    while (!c.atEnd() && c.peek().kind !== "handle") made.push(statement(c));
    if (c.peek().kind === "handle") c.next();
    rules.push(made);
  }
  return { kind: "chain", op, rules };
};

const STATEMENTS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["counter", counter],
  ["limit", limit],
  ["quota", quota],
  ["ct", ctStatement],
  ["log", log],
  ["reject", reject],
  ["dnat", nat("dnat")],
  ["snat", nat("snat")],
  ["masquerade", nat("masquerade")],
  ["redirect", nat("redirect")],
  ["add", updateOf],
  ["update", updateOf],
  ["delete", updateOf],
  ["set", setStatement],
  ["meter", meter],
  ["tproxy", tproxy],
  ["queue", words("queue")],
  ["dup", words("dup")],
  ["fwd", words("fwd")],
  ["synproxy", words("synproxy")],
  ["flow", flow],
  ["xt", xt],
  ["jump", inline],
  ["goto", inline],
  [
    "notrack",
    (c) => {
      c.next();
      return { kind: "notrack" };
    },
  ],
  [
    "reset",
    (c) => {
      c.next();
      return { kind: "reset", words: c.rest() };
    },
  ],
  [
    "last",
    (c) => {
      const list = [c.next().text];
      if (c.take("used")) list.push("used", c.word("a time"));
      return { kind: "no effect", words: list };
    },
  ],
]);
