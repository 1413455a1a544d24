import { nftSymbol } from "../../../model/index.ts";
import type { JsonObject, JsonValue } from "../../iproute2/json.ts";
import {
  anyOf,
  elementText,
  expressionText,
  isObject,
  isOfDevices,
  listOf,
  notKnown,
  quoted,
  setText,
  text,
} from "./expression-text.ts";

/** A statement of libnftables-json(5) as nft writes it. What nft has no JSON for it prints as text, which is taken as it is. */
export function statementText(s: JsonValue): string {
  // An anonymous chain goes over lines.
  if (typeof s === "string")
    return s
      .replace(/\{\n\s*/g, "{ ")
      .replace(/\n\s*\}/g, " }")
      .replace(/\n\s*/g, " ; ");
  if (!isObject(s)) return notKnown("statement");
  const [[kind, value] = ["", null]] = Object.entries(s);
  if (value === null || value === undefined) return withoutArguments(kind);
  if (typeof value === "string") return named(kind, value);
  if (!isObject(value)) return kind === "notrack" ? kind : notKnown(kind);
  switch (kind) {
    case "match":
      return match(value);
    case "counter":
      if (value.map !== undefined) return `counter name ${expressionText(value)}`;
      return value.packets === undefined
        ? "counter"
        : `counter packets ${text(value.packets)} bytes ${text(value.bytes)}`;
    case "jump":
    case "goto":
      return `${kind} ${text(value.target)}`;
    case "mangle":
      return `${expressionText(value.key)} set ${expressionText(value.value)}`;
    case "vmap":
      return `${expressionText(value.key)} vmap ${setText(value.data, isOfDevices(value.key))}`;
    case "snat":
    case "dnat":
    case "masquerade":
    case "redirect":
      return translation(kind, value);
    case "reject":
      return reject(value);
    case "log":
      return log(value);
    case "limit":
      return limit(value);
    case "quota":
      return value.map === undefined ? quota(value) : `quota name ${expressionText(value)}`;
    case "set":
    case "map":
      return update(value);
    case "meter":
      return `meter ${text(value.name)} size ${text(value.size)} { ${elementText(value.key ?? null)} ${statements(value.stmt)} }`;
    case "ct count":
      return `ct count ${value.inv === true ? "over " : ""}${text(value.val)}`;
    case "flow":
      return `flow ${text(value.op)} ${text(value.flowtable)}`;
    case "tproxy":
      return tproxy(value);
    case "queue":
      return `queue${value.num === undefined ? "" : ` num ${expressionText(value.num)}`}${flags(value, " ")}`;
    case "synproxy":
      return value.map === undefined ? synproxy(value) : `synproxy name ${expressionText(value)}`;
    case "fwd":
    case "dup":
      return `${kind} to ${expressionText(value.addr ?? value.dev)}`;
    case "last":
      return "last";
    case "reset":
      return `reset ${expressionText(value)}`;
    case "xt":
      return `xt ${text(value.type)} ${text(value.name)}`;
    default:
      return kind.startsWith("ct ") && value.map !== undefined
        ? `${kind} set ${expressionText(value)}`
        : notKnown(kind);
  }
}

const WORDS: ReadonlySet<string> = new Set([
  ...["accept", "drop", "continue", "return", "counter", "masquerade", "redirect", "reject", "log", "notrack", "queue"],
  ...["synproxy", "last"],
]);
const withoutArguments = (kind: string): string => (WORDS.has(kind) ? kind : notKnown(kind));

/** `{ "counter": "web" }`, `{ "ct helper": "ftp" }`: objects by their names. */
function named(kind: string, name: string): string {
  if (kind.startsWith("ct ")) return `${kind} set ${quoted(name)}`;
  return ["counter", "quota", "limit", "synproxy"].includes(kind) ? `${kind} name ${quoted(name)}` : notKnown(kind);
}

const statements = (s: JsonValue | undefined): string => listOf(s).map(statementText).join(" ");

function match({ op, left, right }: JsonObject): string {
  const devices = isOfDevices(left);
  const masked = isObject(left) && left["&"] !== undefined;
  const list = (values: readonly JsonValue[]) =>
    masked && values.length > 1 ? `(${anyOf(values)})` : values.map((r) => expressionText(r)).join(",");
  const said = Array.isArray(right) ? list(right) : expressionText(numbered(left, right), devices);
  const operator = op === "in" || op === "==" ? "" : `${text(op)} `;
  const exact = op === "==" && isFlags(left) && (masked || !(isObject(right) && right.set !== undefined));
  // `tcp flags == syn` is exact, `tcp flags syn` any of them; of all else the two are one.
  return `${expressionText(left)} ${exact ? "== " : operator}${said}`;
}

/** A range of ICMP types begins or ends with a name, which has a dash of its own: `echo-reply` to 255. */
function numbered(left: JsonValue | undefined, right: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(right) || !Array.isArray(right.range) || !isObject(left) || !isObject(left.payload)) return right;
  const type = `${text(left.payload.protocol)}_${text(left.payload.field)}`;
  return { range: right.range.map((e) => (typeof e === "string" ? (nftSymbol(type, e) ?? e) : e)) };
}

const isFlags = (left: JsonValue | undefined): boolean =>
  isObject(left) &&
  ((isObject(left.payload) && left.payload.field === "flags") ||
    (isObject(left.ct) && (left.ct.key === "state" || left.ct.key === "status")) ||
    left["&"] !== undefined);

const flags = (v: JsonObject, before: string): string => {
  // netmap is said by the prefix.
  const said = listOf(v.flags)
    .map(text)
    .filter((f) => f !== "netmap");
  return said.length === 0 ? "" : `${before}${said.join(",")}`;
};

function translation(kind: string, v: JsonObject): string {
  const family = v.family === undefined ? "" : `${text(v.family)} `;
  const types = listOf(v.type_flags)
    .map(text)
    .filter((f) => f === "prefix");
  const port = v.port === undefined ? "" : `:${expressionText(v.port)}`;
  const six = typeof v.addr === "string" && v.addr.includes(":") && port !== "";
  const address = v.addr === undefined ? "" : six ? `[${text(v.addr)}]` : expressionText(v.addr);
  const to = address === "" && port === "" ? "" : ` ${family}${types.length > 0 ? "prefix " : ""}to ${address}${port}`;
  return `${kind}${to}${flags(v, " ")}`;
}

function reject({ type, expr }: JsonObject): string {
  if (type === undefined) return "reject";
  return type === "tcp reset" ? "reject with tcp reset" : `reject with ${text(type)} ${expressionText(expr)}`;
}

function log(v: JsonObject): string {
  const words = ["log"];
  if (v.prefix !== undefined) words.push("prefix", quoted(text(v.prefix)));
  if (v.group !== undefined) words.push("group", text(v.group));
  if (v.snaplen !== undefined) words.push("snaplen", text(v.snaplen));
  if (v["queue-threshold"] !== undefined) words.push("queue-threshold", text(v["queue-threshold"]));
  if (v.level !== undefined) words.push("level", text(v.level));
  for (const flag of listOf(v.flags)) words.push("flags", text(flag));
  return words.join(" ");
}

export function limit(v: JsonObject): string {
  const unit = v.rate_unit === undefined || v.rate_unit === "packets" ? "" : ` ${text(v.rate_unit)}`;
  const burst =
    v.burst === undefined || v.burst === 0 ? "" : ` burst ${text(v.burst)} ${text(v.burst_unit ?? "packets")}`;
  return `limit rate ${v.inv === true ? "over " : ""}${text(v.rate)}${unit}/${text(v.per)}${burst}`;
}

export function quota(v: JsonObject): string {
  const used = v.used === undefined || v.used === 0 ? "" : ` used ${text(v.used)} ${text(v.used_unit ?? "bytes")}`;
  const bytes = v.val ?? v.bytes;
  return `quota ${v.inv === true ? "over " : ""}${text(bytes)} ${text(v.val_unit ?? "bytes")}${used}`;
}

/** `add @set { ip saddr limit … }`; of a map with data. */
function update({ op, elem, set, map, data, stmt }: JsonObject): string {
  const inner = stmt === undefined ? "" : ` ${statements(stmt)}`;
  const to = data === undefined ? "" : ` : ${expressionText(data)}`;
  return `${text(op)} ${text(set ?? map)} { ${elementText(elem ?? null)}${inner}${to} }`;
}

function tproxy(v: JsonObject): string {
  const family = v.family === undefined ? "" : ` ${text(v.family)}`;
  const address = v.addr === undefined ? "" : text(v.addr).includes(":") ? `[${text(v.addr)}]` : text(v.addr);
  return `tproxy${family} to ${address}${v.port === undefined ? "" : `:${expressionText(v.port)}`}`;
}

export function synproxy(v: JsonObject): string {
  const words = ["synproxy"];
  if (v.mss !== undefined) words.push("mss", text(v.mss));
  if (v.wscale !== undefined) words.push("wscale", text(v.wscale));
  for (const flag of listOf(v.flags)) words.push(text(flag));
  return words.join(" ");
}
