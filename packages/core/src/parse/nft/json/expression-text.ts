import type { JsonObject, JsonValue } from "../../iproute2/json.ts";

/** What `nft -j` prints and this reader does not know: it becomes a word that the text's reader refuses, by line. */
export const notKnown = (what: string): string => `json:${what.replace(/[^\w-]/g, "_").slice(0, 40)}`;

export const isObject = (v: JsonValue | undefined): v is JsonObject =>
  typeof v === "object" && v !== null && !Array.isArray(v);
export const listOf = (v: JsonValue | undefined): readonly JsonValue[] =>
  v === undefined || v === null ? [] : Array.isArray(v) ? v : [v];
export const quoted = (text: string): string => `"${text.replace(/["\n]/g, "")}"`;

/** Text that is a word of nft's language as it stands: addresses, names, numbers with units. */
const PLAIN = /^[@$]?[\w.:/+*-]+$/;
const OPERATORS: ReadonlySet<string> = new Set(["&", "|", "^", "<<", ">>"]);

const SET_NAME = /^@[A-Za-z_][\w./-]*$/;
const wordOf = (text: string, devices: boolean): string => (!devices && PLAIN.test(text) ? text : quoted(text));

/** Where names are those of interfaces, which may look like anything: everywhere, or in these fields of a concatenation. */
export type Devices = boolean | readonly boolean[];
const isDevice = (devices: Devices, at = 0): boolean => (typeof devices === "boolean" ? devices : devices[at] === true);

/** An expression of libnftables-json(5) as nft writes it. */
export function expressionText(e: JsonValue | undefined, devices: Devices = false): string {
  if (e === undefined || e === null) return notKnown("nothing");
  // A set by its name, also where the other side is a device's.
  if (typeof e === "string") return SET_NAME.test(e) ? e : wordOf(e, isDevice(devices));
  if (typeof e === "number") return String(e);
  if (typeof e === "boolean") return e ? "exists" : "missing";
  if (Array.isArray(e)) return e.map((part) => expressionText(part, devices)).join(",");
  const [[kind, value] = ["", null]] = Object.entries(e);
  if (OPERATORS.has(kind)) return binary(kind, listOf(value));
  if (Array.isArray(value) || !isObject(value)) return ofList(kind, value, devices);
  switch (kind) {
    case "payload":
      return payload(value);
    case "meta":
      return `meta ${text(value.key)}`;
    case "ct":
      return ["ct", value.dir, family(value.key, value.family), value.key].filter(isSaid).map(text).join(" ");
    case "fib":
      return `fib ${listOf(value.flags).map(text).join(" . ")} ${text(value.result)}`;
    case "rt":
      return ["rt", value.family, value.key].filter(isSaid).map(text).join(" ");
    case "socket":
      return `socket ${text(value.key)}`;
    case "osf":
      return ["osf", value.ttl === undefined ? undefined : `ttl ${text(value.ttl)}`, value.key]
        .filter(isSaid)
        .map(text)
        .join(" ");
    case "ipsec":
      return [
        "ipsec",
        value.dir,
        ...(value.spnum === undefined || value.spnum === 0 ? [] : ["spnum", value.spnum]),
        value.family,
        value.key,
      ]
        .filter(isSaid)
        .map(text)
        .join(" ");
    case "exthdr":
      return value.field === undefined ? `exthdr ${text(value.name)}` : `${text(value.name)} ${text(value.field)}`;
    case "tcp option":
      return value.name === undefined
        ? `tcp option @${text(value.base)},${text(value.offset)},${text(value.len)}`
        : ["tcp option", value.name, value.field].filter(isSaid).map(text).join(" ");
    case "ip option":
    case "sctp chunk":
    case "dccp option":
      return [kind, value.name, value.field].filter(isSaid).map(text).join(" ");
    case "prefix":
      return `${expressionText(value.addr)}/${text(value.len)}`;
    case "numgen":
      return `numgen ${text(value.mode)} mod ${text(value.mod)}${offset(value)}`;
    case "symhash":
      return `symhash mod ${text(value.mod)}${offset(value)}`;
    case "jhash":
      return `jhash ${expressionText(value.expr)} mod ${text(value.mod)}${value.seed === undefined ? "" : ` seed ${text(value.seed)}`}${offset(value)}`;
    case "map":
    case "vmap":
      return `${expressionText(value.key)} ${kind} ${setText(value.data, isOfDevices(value.key))}`;
    case "elem":
      return elementText(e, devices);
    case "jump":
    case "goto":
      return `${kind} ${text(value.target)}`;
    default:
      return notKnown(kind);
  }
}

/** `{ "range": [a, b] }`, `{ "concat": […] }`, `{ "set": … }`, `{ "drop": null }`. */
function ofList(kind: string, value: JsonValue | undefined, devices: Devices): string {
  const parts = listOf(value);
  switch (kind) {
    case "range":
      return parts.map((p) => expressionText(p, devices)).join("-");
    case "concat":
      return parts.map((p, i) => expressionText(p, isDevice(devices, i))).join(" . ");
    case "set":
      return setText(value, devices);
    case "accept":
    case "drop":
    case "return":
    case "continue":
      return kind;
    default:
      return notKnown(kind);
  }
}

/** A named set, or the elements of an anonymous one; of a map pairs. */
export function setText(data: JsonValue | undefined, devices: Devices = false): string {
  if (typeof data === "string") return data.startsWith("@") ? data : `{ ${wordOf(data, isDevice(devices))} }`;
  const elements = isObject(data) && data.set !== undefined ? data.set : data;
  return `{ ${listOf(elements)
    .map((e) => elementText(e, devices))
    .join(", ")} }`;
}

/** `[key, data]` of a map, `{ "elem": { "val": …, "timeout": … } }`, or the value itself. */
export function elementText(e: JsonValue, devices: Devices = false): string {
  if (Array.isArray(e)) {
    const [key, data] = e;
    return `${elementText(key ?? null, devices)} : ${expressionText(data)}`;
  }
  if (!isObject(e) || !isObject(e.elem)) return expressionText(e, devices);
  const { val, timeout, expires, comment, counter } = e.elem;
  return [
    expressionText(val, devices),
    isObject(counter) ? `counter packets ${text(counter.packets)} bytes ${text(counter.bytes)}` : undefined,
    timeout === undefined ? undefined : `timeout ${text(timeout)}s`,
    expires === undefined ? undefined : `expires ${text(expires)}s`,
    comment === undefined ? undefined : `comment ${quoted(text(comment))}`,
  ]
    .filter(isSaid)
    .join(" ");
}

const isNamed = (e: JsonValue | undefined): boolean =>
  isObject(e) && isObject(e.meta) && /^[io](?:if|ifname|brname)$/.test(text(e.meta.key));

/** Whether what is compared with it are names of interfaces; of a concatenation field by field. */
export const isOfDevices = (e: JsonValue | undefined): Devices =>
  isObject(e) && Array.isArray(e.concat) ? e.concat.map(isNamed) : isNamed(e);

function payload(p: JsonObject): string {
  if (p.base !== undefined) return `@${text(p.base)},${text(p.offset)},${text(p.len)}`;
  return `${p.tunnel === undefined ? "" : `${text(p.tunnel)} `}${text(p.protocol)} ${text(p.field)}`;
}

/** Flags in a list, where an operator stands beside them. */
export const anyOf = (list: readonly JsonValue[]): string => list.map((e) => expressionText(e)).join(" | ");

function binary(operator: string, parts: readonly JsonValue[]): string {
  const side = (e: JsonValue): string => {
    if (Array.isArray(e)) return `(${anyOf(e)})`;
    const said = expressionText(e);
    const [inner] = isObject(e) ? Object.keys(e) : [];
    return inner !== undefined && inner !== operator && OPERATORS.has(inner) ? `(${said})` : said;
  };
  return parts.map(side).join(` ${operator} `);
}

/** `ct original ip saddr` says the family, unless the key does. */
const family = (key: JsonValue | undefined, of: JsonValue | undefined): JsonValue | undefined =>
  typeof key === "string" && /^ip6? /.test(key) ? undefined : of;

const offset = (v: JsonObject): string => (v.offset === undefined || v.offset === 0 ? "" : ` offset ${text(v.offset)}`);
const isSaid = <T>(v: T | undefined): v is T => v !== undefined;
export const text = (v: JsonValue | undefined): string =>
  typeof v === "string" ? v : typeof v === "number" || typeof v === "boolean" ? String(v) : notKnown("value");
