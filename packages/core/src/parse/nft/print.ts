import {
  isVerdict,
  type NftElement,
  type NftExpression,
  type NftNat,
  type NftRule,
  type NftSet,
  type NftSetReference,
  type NftStatement,
  type NftTable,
  type NftType,
  type NftVerdict,
} from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { familyOf, formatAddress } from "../../net/index.ts";
import { printSeconds } from "./value.ts";

/** The tables as a file that `nft -f` loads. */
export const printRuleset = (tables: readonly NftTable[]): string => tables.map(printTable).join("");

function printTable(table: NftTable): string {
  const parts: string[] = [];
  if (table.comment !== undefined) parts.push(`\tcomment ${quoted(table.comment)}`);
  if (table.flags.length > 0) parts.push(`\tflags ${table.flags.join(",")}`);
  for (const object of table.objects) {
    const head = object.kind === "other" ? `${object.object} ${object.name}` : `${object.kind} ${object.name}`;
    const body =
      object.kind === "counter"
        ? `packets ${object.packets} bytes ${object.bytes}`
        : object.kind === "other"
          ? object.words.join(" ")
          : object.kind === "quota"
            ? printStatement(object.quota).replace(/^quota /, "")
            : printStatement(object.limit).replace(/^limit /, "");
    parts.push(`\t${head} {\n\t\t${body}\n\t}`);
  }
  for (const set of table.sets) if (set.kind !== "meter") parts.push(printSet(set));
  for (const f of table.flowtables) {
    parts.push(
      `\tflowtable ${f.name} {\n\t\thook ingress priority ${f.priority}\n\t\tdevices = { ${f.devices.map(quoted).join(", ")} }\n\t}`,
    );
  }
  for (const chain of table.chains) {
    const lines: string[] = [];
    if (chain.comment !== undefined) lines.push(`\t\tcomment ${quoted(chain.comment)}`);
    const { base } = chain;
    if (base !== undefined) {
      const [device, ...more] = base.devices;
      const on =
        device === undefined
          ? ""
          : more.length === 0
            ? ` device ${quoted(device)}`
            : ` devices = { ${base.devices.map(quoted).join(", ")} }`;
      lines.push(`\t\ttype ${base.type} hook ${base.hook}${on} priority ${base.priority}; policy ${base.policy};`);
    }
    for (const rule of chain.rules) lines.push(`\t\t${printNftRule(rule)}`);
    parts.push([`\tchain ${chain.name} {`, ...lines, "\t}"].join("\n"));
  }
  return `table ${table.family} ${table.name} {\n${parts.map((p) => `${p}\n`).join("")}}\n`;
}

function printSet(set: NftSet): string {
  const lines: string[] = [];
  const types = (list: readonly NftType[]) =>
    `${list.some((t) => t.interval === true) ? "interval " : ""}${list.map((t) => (t.of === undefined ? t.name : print(t.of))).join(" . ")}`;
  const word = set.key.some((t) => t.of !== undefined) ? "typeof" : "type";
  lines.push(`${word} ${types(set.key)}${set.data === undefined ? "" : ` : ${types(set.data)}`}`);
  if (set.size !== undefined) lines.push(`size ${set.size}`);
  if (set.flags.length > 0) lines.push(`flags ${set.flags.join(",")}`);
  if (set.timeout !== undefined) lines.push(`timeout ${printSeconds(set.timeout)}`);
  if (set.autoMerge) lines.push("auto-merge");
  if (set.statements !== undefined) append(lines, set.statements);
  if (set.comment !== undefined) lines.push(`comment ${quoted(set.comment)}`);
  if (set.elements.length > 0) lines.push(`elements = { ${set.elements.map(printElement).join(",\n\t\t\t     ")} }`);
  return [`\t${set.kind} ${set.name} {`, ...lines.map((l) => `\t\t${l}`), "\t}"].join("\n");
}

/** A rule without its comment of the handle. */
export function printNftRule(rule: NftRule): string {
  const words = rule.statements.map(printStatement);
  if (rule.comment !== undefined) words.push(`comment ${quoted(rule.comment)}`);
  return words.join(" ");
}

/** nft has no escape inside quotes: what cannot stand there is left out. */
export const quoted = (text: string): string => `"${text.replace(/["\n\r]/g, "")}"`;

export function printElement(e: NftElement): string {
  const words = [print(e.key)];
  if (e.timeout !== undefined) words.push(`timeout ${printSeconds(e.timeout)}`);
  if (e.expires !== undefined) words.push(`expires ${printSeconds(e.expires)}`);
  if (e.statements !== undefined) append(words, e.statements);
  if (e.comment !== undefined) words.push(`comment ${quoted(e.comment)}`);
  if (e.data !== undefined) words.push(":", isVerdict(e.data) ? printVerdict(e.data) : print(e.data));
  return words.join(" ");
}

export const printVerdict = (v: NftVerdict): string =>
  v.kind === "jump" || v.kind === "goto" ? `${v.kind} ${v.chain}` : v.kind;

const printReference = (set: NftSetReference): string =>
  set.kind === "named" ? `@${set.name}` : `{ ${set.elements.map(printElement).join(", ")} }`;

const spaced = (...words: readonly (string | undefined)[]): string => words.filter((w) => w !== undefined).join(" ");

/** An expression as nft writes it. */
export function print(e: NftExpression): string {
  switch (e.kind) {
    case "payload":
      return `${e.protocol} ${e.field}`;
    case "raw":
      return `@${e.base},${e.offset},${e.length}`;
    case "meta":
      return `meta ${e.key}`;
    case "ct":
      return spaced("ct", e.direction, e.family, e.key === "l4proto" ? "protocol" : e.key);
    case "rt":
      return spaced("rt", e.family, e.key);
    case "socket":
      return spaced("socket", e.key, e.level === undefined ? undefined : `level ${e.level}`);
    case "fib":
      return `fib ${e.flags.join(" . ")} ${e.result}`;
    case "exthdr":
      return e.field === undefined ? `exthdr ${e.header}` : `${e.header} ${e.field}`;
    case "tcp option":
    case "ip option":
      return spaced(e.kind, e.option, e.field);
    case "sctp chunk":
      return spaced("sctp chunk", e.chunk, e.field);
    case "numgen":
      return `numgen ${e.mode} mod ${e.mod}${e.offset === 0 ? "" : ` offset ${e.offset}`}`;
    case "jhash":
      return spaced(
        `jhash ${print(e.key)} mod ${e.mod}`,
        e.seed === undefined ? undefined : `seed 0x${e.seed.toString(16)}`,
        e.offset === 0 ? undefined : `offset ${e.offset}`,
      );
    case "symhash":
      return `symhash mod ${e.mod}${e.offset === 0 ? "" : ` offset ${e.offset}`}`;
    case "other":
      return e.words.join(" ");
    case "binary":
      return `${operand(e.left, e.op)} ${e.op} ${operand(e.right, e.op)}`;
    case "concat":
      return e.parts.map(print).join(" . ");
    case "map":
      return `${print(e.key)} map ${printReference(e.data)}`;
    case "number":
      return String(e.value);
    case "big":
      return `0x${e.value.toString(16)}`;
    case "address":
      return formatAddress(e.value);
    case "mac":
      return e.value;
    case "name":
      return quoted(e.prefix ? `${e.value}*` : e.value);
    case "symbol":
      return /^[\w./:*+-]+$/.test(e.text) ? e.text : quoted(e.text);
    case "prefix":
      return `${print(e.value)}/${e.length}`;
    case "range":
      return `${print(e.from)}-${print(e.to)}`;
    case "list":
      return e.values.map(print).join(",");
    case "set":
      return printReference(e.set);
    case "exists":
      return e.value ? "exists" : "missing";
    case "wildcard":
      return "*";
  }
}

/** Flags in brackets are joined by bars: a comma is no operator. */
const operand = (e: NftExpression, op: string): string => {
  if (e.kind === "list") return `(${e.values.map(print).join(" | ")})`;
  return e.kind === "binary" && e.op !== op ? `(${print(e)})` : print(e);
};

const natTo = (s: NftNat): string | undefined => {
  if (s.address === undefined) return s.port === undefined ? undefined : `to :${print(s.port)}`;
  const { address } = s;
  const ends = address.kind === "range" ? [address.from, address.to] : [address];
  const six = ends.some((a) => a.kind === "address" && familyOf(a.value) === 6);
  const shown = six && s.port !== undefined ? ends.map((a) => `[${print(a)}]`).join("-") : print(address);
  return `to ${shown}${s.port === undefined ? "" : `:${print(s.port)}`}`;
};

/** A statement as nft writes it. */
export function printStatement(s: NftStatement): string {
  switch (s.kind) {
    case "match": {
      const op = s.op === "in" ? "" : s.op === "!" ? "! " : `${s.op} `;
      return `${print(s.left)} ${op}${print(s.right)}`;
    }
    case "verdict":
      return printVerdict(s.verdict);
    case "vmap":
      return `${print(s.key)} vmap ${printReference(s.map)}`;
    case "counter":
      if (s.name !== undefined) return `counter name ${typeof s.name === "string" ? quoted(s.name) : print(s.name)}`;
      return s.packets === undefined ? "counter" : `counter packets ${s.packets} bytes ${s.bytes ?? 0}`;
    case "limit": {
      const bytes = s.unit === "bytes" ? " bytes" : "";
      const burst = s.burst === undefined ? "" : ` burst ${s.burst} ${s.unit}`;
      return `limit rate ${s.over ? "over " : ""}${s.rate}${bytes}/${s.per}${burst}`;
    }
    case "quota":
      return `quota ${s.over ? "over " : ""}${s.bytes} bytes${s.used === 0 ? "" : ` used ${s.used} bytes`}`;
    case "ct count":
      return `ct count ${s.over ? "over " : ""}${s.count}`;
    case "log":
      return spaced(
        "log",
        s.prefix === undefined ? undefined : `prefix ${quoted(s.prefix)}`,
        s.level === undefined ? undefined : `level ${s.level}`,
        s.group === undefined ? undefined : `group ${s.group}`,
        ...s.rest,
      );
    case "reject":
      if (s.with === undefined) return "reject";
      return s.with === "tcp reset" ? "reject with tcp reset" : `reject with ${s.with} ${s.code}`;
    case "dnat":
    case "snat":
    case "masquerade":
    case "redirect":
      return spaced(
        s.kind,
        s.family,
        s.prefix === true ? "prefix" : undefined,
        natTo(s),
        [s.random && "random", s.fullyRandom && "fully-random", s.persistent && "persistent"]
          .filter(Boolean)
          .join(",") || undefined,
      );
    case "set":
      return `${print(s.target)} set ${print(s.value)}`;
    case "notrack":
      return "notrack";
    case "update":
      return spaced(
        s.meter === undefined ? `${s.op} @${s.set}` : `meter ${s.set}`,
        s.meter?.size === undefined ? "{" : `size ${s.meter.size} {`,
        print(s.key),
        s.timeout === undefined ? undefined : `timeout ${printSeconds(s.timeout)}`,
        ...s.statements.map(printStatement),
        s.data === undefined ? undefined : `: ${print(s.data)}`,
        "}",
      );
    case "object": {
      const name = typeof s.name === "string" ? quoted(s.name) : print(s.name);
      return s.object.startsWith("ct ") ? `${s.object} set ${name}` : `${s.object} name ${name}`;
    }
    case "tproxy": {
      const at = natTo({ ...s, kind: "dnat", random: false, fullyRandom: false, persistent: false } as NftNat);
      return spaced("tproxy", s.family, at);
    }
    case "queue":
    case "dup":
    case "fwd":
    case "synproxy":
      return spaced(s.kind, ...s.words);
    case "flow":
      return `flow add @${s.table}`;
    case "reset":
      return spaced("reset", ...s.words);
    case "chain":
      return `${s.op} {\n${s.rules.map((r) => `\t\t\t${r.map(printStatement).join(" ")}\n`).join("")}\t\t}`;
    case "no effect":
    case "not understood":
      return s.words.join(" ");
    case "xt":
      return `xt ${s.what} ${quoted(s.name)}`;
  }
}
