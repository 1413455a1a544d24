import type { Nexthop, Route, RouteType } from "../../../model/index.ts";
import { type Address, type Family, familyOf, type Prefix, parseAddress, parsePrefix } from "../../../net/index.ts";
import type { Mutable } from "../lines.ts";
import { dsfieldOf, protocolName, scopeOf, tableOf } from "../names.ts";
import { isRouteType, METRICS, ROUTE_FLAGS, ROUTE_TYPES } from "../vocabulary.ts";
import { numberOf, type WordCursor } from "../words.ts";

/** A route while it is read. `nexthops` holds those of `nexthop …`; the route's own hop is `hop`. */
export interface RouteDraft
  extends Omit<Mutable<Route>, "family" | "destination" | "nexthops" | "table" | "extra" | "locked" | "origin"> {
  /** undefined: `default`, whose family the rest tells. */
  destination?: Prefix;
  isDefault: boolean;
  table?: number | string;
  hop: HopDraft;
  nexthops: HopDraft[];
  extra: string[];
  locked: string[];
  /** Evidence of the family other than addresses: `pref` is IPv6, `scope` and `via inet6` are IPv4. */
  hint?: Family;
  /** A word that decides where packets go had no value that could be read. */
  damaged: boolean;
  /** Set by `ip route get`. */
  uid?: number;
  mark?: number;
  iif?: string;
}

export interface HopDraft extends Omit<Mutable<Nexthop>, "flags"> {
  flags: string[];
}

export const emptyHop = (): HopDraft => ({ weight: 1, flags: [] });
export const emptyRoute = (): RouteDraft => ({
  type: "unicast",
  isDefault: false,
  hop: emptyHop(),
  nexthops: [],
  extra: [],
  locked: [],
  damaged: false,
});

export type WordOutcome = "ok" | "bad-value" | "unknown";

/** RTN_*: what `ip -N route` prints. */
const TYPE_NUMBERS: readonly (RouteType | undefined)[] = [undefined, ...ROUTE_TYPES];

/** Takes type and destination, the first words of a route; false if they are none. */
export function takeDestination(cursor: WordCursor, route: RouteDraft): boolean {
  const first = cursor.peek();
  const numbered = TYPE_NUMBERS[Number(first)];
  if (first !== undefined && isRouteType(first)) {
    route.type = first;
    cursor.take();
  } else if (numbered !== undefined && cursor.peek(1) !== undefined && /^\d{1,2}$/.test(first ?? "")) {
    route.type = numbered;
    cursor.take();
  }
  const text = cursor.take();
  if (text === undefined) return false;
  if (text === "default" || text === "any" || text === "all") {
    route.isDefault = true;
    return true;
  }
  const prefix = destinationOf(text);
  if (prefix === undefined) return false;
  route.destination = prefix;
  return true;
}

/** `10.0.0.0/8`, a host, and `0/8`, `10/8` as ip(8) takes them. */
export function destinationOf(text: string): Prefix | undefined {
  const prefix = parsePrefix(text);
  if (prefix !== undefined) return prefix;
  const short = /^(\d{1,3}(?:\.\d{1,3}){0,2})\/(\d{1,2})$/.exec(text);
  if (short === null) return undefined;
  const dots = short[1]!.split(".").length;
  return parsePrefix(`${short[1]}${".0".repeat(4 - dots)}/${short[2]}`);
}

const addressIn = (cursor: WordCursor): Address | undefined => parseAddress(cursor.take() ?? "");

/** Words of the address part of a nexthop: shared by the route itself and by `nexthop …`. */
export function takeHopWord(key: string, cursor: WordCursor, hop: HopDraft, route: RouteDraft): WordOutcome {
  switch (key) {
    case "via": {
      const next = cursor.peek();
      if (next === "inet6" || next === "inet") {
        cursor.take();
        route.hint ??= next === "inet6" ? 4 : 6;
      }
      const gateway = addressIn(cursor);
      if (gateway === undefined) return "bad-value";
      hop.gateway = gateway;
      return "ok";
    }
    case "dev": {
      const device = cursor.take();
      if (device === undefined) return "bad-value";
      hop.device = device;
      return "ok";
    }
    case "weight": {
      const weight = numberOf(cursor.take());
      if (weight === undefined) return "bad-value";
      hop.weight = weight;
      return "ok";
    }
    case "encap":
      hop.encap = takeEncap(cursor);
      return "ok";
    default:
      if (!ROUTE_FLAGS.has(key)) return "unknown";
      hop.flags.push(key);
      return "ok";
  }
}

const ENCAP_IP = new Set(["id", "src", "dst", "ttl", "hoplimit", "tos", "tc", "key", "csum", "seq"]);
const ENCAP_FLAGS = new Set(["key", "csum", "seq"]);
const SEG6_LOCAL = new Set(["action", "srh", "table", "vrftable", "nh4", "nh6", "iif", "oif", "endpoint", "count"]);
const AFTER_ENCAP = new Set([
  "via",
  "dev",
  "table",
  "proto",
  "scope",
  "src",
  "metric",
  "nhid",
  "tos",
  "weight",
  "pref",
]);

/** Encapsulation is kept verbatim; which words are its own depends on its type. */
function takeEncap(cursor: WordCursor): string {
  const words = [cursor.take() ?? ""];
  const own = words[0] === "ip" || words[0] === "ip6" ? ENCAP_IP : words[0] === "seg6local" ? SEG6_LOCAL : undefined;
  while (!cursor.done) {
    const word = cursor.peek()!;
    if (own?.has(word)) {
      words.push(cursor.take()!);
      if (!ENCAP_FLAGS.has(word) && !cursor.done) words.push(cursor.take()!);
      continue;
    }
    if (AFTER_ENCAP.has(word) || ROUTE_FLAGS.has(word)) break;
    words.push(cursor.take()!);
  }
  return words.join(" ");
}

/** A metric (RTA_METRICS) with its `lock`. */
function takeMetric(key: string, cursor: WordCursor, route: RouteDraft): WordOutcome {
  const locked = cursor.accept("lock");
  if (key === "mtu" || key === "advmss") {
    const value = numberOf(cursor.take());
    if (value === undefined) return "bad-value";
    route[key] = value;
    if (locked) route.locked.push(key);
    return "ok";
  }
  const value = cursor.take();
  if (value === undefined) return "bad-value";
  const more = key === "features" && cursor.peek() === "tcp_usec_ts" ? ` ${cursor.take()}` : "";
  route.extra.push(`${key} ${locked ? "lock " : ""}${value}${more}`);
  return "ok";
}

/** Words that take one value and mean nothing to the model: kept as a phrase. */
const PHRASES = new Set(["realm", "realms", "expires", "users", "used", "age", "ipid", "ts", "tsage", "ttl-propogate"]);

/** Takes what belongs to a keyword that was just taken. */
export function takeRouteWord(key: string, cursor: WordCursor, route: RouteDraft): WordOutcome {
  const hop = takeHopWord(key, cursor, route.hop, route);
  if (hop !== "unknown") return hop;
  if (METRICS.has(key)) return takeMetric(key, cursor, route);
  switch (key) {
    case "from": {
      const prefix = parsePrefix(cursor.take() ?? "");
      if (prefix === undefined) return "bad-value";
      route.from = prefix;
      return "ok";
    }
    case "tos": {
      const tos = dsfieldOf(cursor.take() ?? "");
      if (tos === undefined) return "bad-value";
      route.tos = tos;
      return "ok";
    }
    case "table": {
      const table = cursor.take();
      if (table === undefined) return "bad-value";
      route.table = tableOf(table);
      return "ok";
    }
    case "proto": {
      const protocol = cursor.take();
      if (protocol === undefined) return "bad-value";
      const name = protocolName(protocol);
      if (name !== "boot") route.protocol = name;
      return "ok";
    }
    case "scope": {
      const scope = scopeOf(cursor.take() ?? "");
      if (scope === undefined) return "bad-value";
      if (scope !== "global") {
        route.scope = scope;
        route.hint ??= 4;
      }
      return "ok";
    }
    case "src": {
      const source = addressIn(cursor);
      if (source === undefined) return "bad-value";
      route.prefSrc = source;
      return "ok";
    }
    case "metric": {
      const metric = numberOf(cursor.take());
      if (metric === undefined) return "bad-value";
      route.metric = metric;
      return "ok";
    }
    case "nhid": {
      const id = numberOf(cursor.take());
      if (id === undefined) return "bad-value";
      route.nexthopId = id;
      return "ok";
    }
    case "uid":
    case "mark": {
      const value = numberOf(cursor.take());
      if (value === undefined) return "bad-value";
      route[key] = value;
      return "ok";
    }
    case "iif": {
      const device = cursor.take();
      if (device === undefined) return "bad-value";
      route.iif = device;
      return "ok";
    }
    case "error":
    case "pref": {
      const value = cursor.take();
      if (value === undefined) return "bad-value";
      route.hint ??= 6;
      route.extra.push(`${key} ${value}`);
      return "ok";
    }
    case "as": {
      const to = cursor.accept("to") ? "to " : "";
      route.extra.push(`as ${to}${cursor.take() ?? ""}`);
      return "ok";
    }
    default: {
      if (!PHRASES.has(key)) return "unknown";
      const value = cursor.take();
      if (value === undefined) return "bad-value";
      if (key === "expires") route.hint ??= 6;
      route.extra.push(`${key} ${value}`);
      return "ok";
    }
  }
}

/** The family a route's own words prove. */
export function familyOfRoute(route: RouteDraft): Family | undefined {
  if (route.destination !== undefined) return familyOf(route.destination.address);
  if (route.hint !== undefined) return route.hint;
  const address = route.from?.address ?? route.prefSrc ?? route.hop.gateway ?? route.nexthops[0]?.gateway;
  return address === undefined ? undefined : familyOf(address);
}

/** The kernel keeps one hop for a plain route; multipath routes have theirs in `nexthops`. */
export function hopsOf(route: RouteDraft): Nexthop[] {
  if (route.nexthops.length > 0) return route.nexthops;
  const { gateway, device, encap } = route.hop;
  return gateway === undefined && device === undefined && encap === undefined ? [] : [route.hop];
}
