import { type Route, type RouteScope, type RouteType, TABLE_LOCAL, TABLE_MAIN } from "../../../model/index.ts";
import { anyPrefix, type Family, networkOf } from "../../../net/index.ts";
import {
  destinationOf,
  emptyHop,
  emptyRoute,
  familyOfRoute,
  hopsOf,
  type RouteDraft,
  takeDestination,
  takeHopWord,
  takeRouteWord,
} from "../route/route-words.ts";
import { isRouteType, METRICS, ROUTE_WORDS } from "../vocabulary.ts";
import type { WordCursor } from "../words.ts";
import type { IpCommand, RouteVerb } from "./command.ts";
import { cursorFrom, refuse, resolve, type Typed } from "./command-cursor.ts";

/** do_iproute() tries them in this order. */
const VERBS: readonly string[] = [
  "add",
  "change",
  "replace",
  "prepend",
  "append",
  "test",
  "delete",
  "list",
  "get",
  "flush",
];

/** Words iproute_modify() takes abbreviated, in its order, by the word the listing prints. */
const ABBREVIATED: readonly (readonly [string, string])[] = [
  ["dsfield", "tos"],
  ["metric", "metric"],
  ["priority", "metric"],
  ["reordering", "reordering"],
  ["window", "window"],
  ["cwnd", "cwnd"],
  ["initcwnd", "initcwnd"],
  ["initrwnd", "initrwnd"],
  ["features", "features"],
  ["quickack", "quickack"],
  ["congctl", "congctl"],
  ["rttvar", "rttvar"],
  ["ssthresh", "ssthresh"],
  ["realms", "realms"],
  ["protocol", "proto"],
  ["table", "table"],
  ["pref", "pref"],
  ["fastopen_no_cookie", "fastopen_no_cookie"],
];

export function routeWord(text: string): string {
  if (text === "preference") return "metric";
  if (text === "oif") return "dev";
  if (text === "proto" || METRICS.has(text) || ROUTE_WORDS.has(text)) return text === "dsfield" ? "tos" : text;
  return ABBREVIATED.find(([whole]) => whole.startsWith(text))?.[1] ?? text;
}

/** Scope as iproute_modify() sets it where none is typed. */
function defaultScope(type: RouteType, draft: RouteDraft): RouteScope {
  if (type === "local" || type === "nat") return "host";
  if (type === "broadcast" || type === "multicast" || type === "anycast") return "link";
  const gateway = draft.hop.gateway !== undefined || draft.nexthops.length > 0 || draft.nexthopId !== undefined;
  return type === "unicast" && !gateway ? "link" : "global";
}

const LOCAL_TYPES: ReadonlySet<string> = new Set(["local", "broadcast", "nat", "anycast"]);

interface Spec {
  readonly draft: RouteDraft;
  readonly typed: ReadonlySet<string>;
}

/** Reads the words of `add`, `del` and so on; a text says what is wrong. */
function takeSpec(cursor: WordCursor): Spec | string {
  const draft = emptyRoute();
  const typed = new Set<string>();
  let hasDestination = false;
  while (!cursor.done) {
    const text = cursor.take()!;
    const key = routeWord(text);
    typed.add(key);
    if (key === "nexthop") {
      draft.nexthops.push(emptyHop());
      continue;
    }
    const hop = draft.nexthops[draft.nexthops.length - 1];
    const outcome = hop === undefined ? takeRouteWord(key, cursor, draft) : takeHopWord(key, cursor, hop, draft);
    if (outcome === "ok") continue;
    if (outcome === "bad-value") return `not a value for "${text}"`;
    if (hop !== undefined) return `"${text}" is not known in a nexthop`;
    if (hasDestination) return `"${text}" is not known in a route`;
    hasDestination = true;
    let target: string | undefined = text === "to" ? cursor.take() : text;
    if (target !== undefined && isRouteType(target)) {
      draft.type = target;
      typed.add("type");
      target = cursor.take();
    }
    if (target === undefined || !takeTarget(target, draft)) return `"${target ?? text}" is no destination`;
  }
  return hasDestination ? { draft, typed } : "no destination is named";
}

function takeTarget(text: string, draft: RouteDraft): boolean {
  if (text === "default" || text === "any" || text === "all") {
    draft.isDefault = true;
    return true;
  }
  const prefix = destinationOf(text);
  if (prefix !== undefined) draft.destination = prefix;
  return prefix !== undefined;
}

function tableFor(draft: RouteDraft): number | string {
  return draft.table ?? (LOCAL_TYPES.has(draft.type) ? TABLE_LOCAL : TABLE_MAIN);
}

/** A route that has just been added, as `ip route show` would print it. */
function routeOf({ draft, typed }: Spec, family: Family, origin: Typed["origin"]): Route {
  const { destination, isDefault, hop, nexthops, table, extra, locked, hint, damaged, uid, mark, iif, scope, ...rest } =
    draft;
  const set = typed.has("scope") ? (scope ?? "global") : family === 6 ? "global" : defaultScope(draft.type, draft);
  // ip6_route_info_create() gives IP6_RT_PRIO_USER where none was asked for, and names lo for what goes nowhere.
  const metric = family === 6 && (rest.metric === undefined || rest.metric === 0) ? 1024 : rest.metric;
  const hops = hopsOf(draft);
  const nowhere = family === 6 && hops.length === 0 && draft.nexthopId === undefined && draft.type !== "unicast";
  return {
    ...rest,
    ...(metric === undefined ? {} : { metric }),
    family,
    destination: isDefault || destination === undefined ? anyPrefix(family) : networkOf(destination),
    table: tableFor(draft),
    ...(set === "global" ? {} : { scope: set }),
    nexthops: nowhere ? [{ device: "lo", weight: 1, flags: [] }] : hops,
    ...(locked.length > 0 ? { locked } : {}),
    extra: family === 6 && !extra.some((p) => p.startsWith("pref ")) ? [...extra, "pref medium"] : extra,
    origin,
  };
}

function removal(typed: Typed, { draft, typed: named }: Spec, family: Family): IpCommand {
  const { type, tos, metric, protocol, scope, prefSrc, nexthopId, mtu } = draft;
  return {
    kind: "route-removal",
    verb: "delete",
    selector: {
      family,
      destination:
        draft.isDefault || draft.destination === undefined ? anyPrefix(family) : networkOf(draft.destination),
      table: tableFor(draft),
      nexthops: hopsOf(draft),
      ...(named.has("type") ? { type } : {}),
      ...(tos === undefined ? {} : { tos }),
      ...(metric === undefined ? {} : { metric }),
      ...(named.has("proto") ? { protocol: protocol ?? "boot" } : {}),
      ...(named.has("scope") ? { scope: scope ?? "global" } : {}),
      ...(prefSrc === undefined ? {} : { prefSrc }),
      ...(nexthopId === undefined ? {} : { nexthopId }),
      ...(mtu === undefined ? {} : { mtu }),
    },
    origin: typed.origin,
  };
}

/** `ip route flush table 100`, `… dev eth0`, `… 10.0.0.0/8`, `… proto bird`. */
function flush(typed: Typed, requested: Family | undefined): IpCommand {
  const cursor = cursorFrom(typed, 1);
  const draft = emptyRoute();
  const named = new Set<string>();
  let all = false;
  while (!cursor.done) {
    const text = cursor.peek()!;
    const key = routeWord(text);
    if (key === "table" && cursor.peek(1) === "all") {
      cursor.take();
      cursor.take();
      all = true;
      continue;
    }
    if (text === "root" || text === "match" || text === "cache")
      return refuse(typed, `flush by "${text}" is not modelled`, cursor);
    if (["type", "exact", "to"].includes(text)) cursor.take();
    named.add(key);
    if (ROUTE_WORDS.has(key)) {
      cursor.take();
      if (takeRouteWord(key, cursor, draft) !== "ok") return refuse(typed, `not a value for "${text}"`, cursor);
    } else if (isRouteType(cursor.peek() ?? "")) {
      draft.type = cursor.take() as RouteType;
      named.add("type");
    } else if (!takeDestination(cursor, draft)) return refuse(typed, `"${text}" is not known in a flush`, cursor);
  }
  const family = requested ?? familyOfRoute(draft) ?? 4;
  const hasDestination = draft.isDefault || draft.destination !== undefined;
  if (!all && !hasDestination && named.size === 0) return refuse(typed, "flush needs to be told what to flush");
  return {
    kind: "route-removal",
    verb: "flush",
    selector: {
      family,
      ...(hasDestination ? { destination: draft.destination ?? anyPrefix(family) } : {}),
      ...(all ? {} : { table: draft.table ?? TABLE_MAIN }),
      nexthops: hopsOf(draft),
      ...(named.has("type") ? { type: draft.type } : {}),
      ...(named.has("proto") ? { protocol: draft.protocol ?? "boot" } : {}),
      ...(named.has("scope") ? { scope: draft.scope ?? "global" } : {}),
      ...(draft.prefSrc === undefined ? {} : { prefSrc: draft.prefSrc }),
      ...(draft.metric === undefined ? {} : { metric: draft.metric }),
    },
    origin: typed.origin,
  };
}

/** Reads `ip route VERB …`; `asked` is the family of -4 or -6. */
export function readRouteCommand(typed: Typed, wanted: Family | undefined): IpCommand {
  const word = typed.words[typed.first];
  const verb = word === "chg" ? "change" : resolve(word, VERBS);
  if (verb === undefined || verb === "test" || verb === "list" || verb === "get")
    return refuse(typed, "this changes no route");
  if (verb === "flush") return flush(typed, wanted);
  const cursor = cursorFrom(typed, 1);
  const spec = takeSpec(cursor);
  if (typeof spec === "string") return refuse(typed, spec, cursor);
  const family = familyOfRoute(spec.draft) ?? wanted ?? 4;
  if (wanted !== undefined && wanted !== family)
    return refuse(typed, `an address is not of the family asked for (-${wanted})`);
  if (verb === "delete") return removal(typed, spec, family);
  return {
    kind: "route",
    verb: verb as Exclude<RouteVerb, "delete" | "flush">,
    route: routeOf(spec, family, typed.origin),
    origin: typed.origin,
  };
}
