import type { Nexthop, Route, RouteTable } from "../../../model/index.ts";
import { compareAddress, containsPrefix, samePrefix } from "../../../net/index.ts";
import type { IpCommand, RouteSelector } from "../command/command.ts";
import { type Applied, done, refused, sameRecord } from "./applied.ts";

const metricOf = (r: Route): number => r.metric ?? 0;
const tosOf = (r: Route): number => r.tos ?? 0;

/** Aliases of one prefix are told apart by tos and metric (fib_find_alias); IPv6 by metric alone. */
const sameSlot = (a: Route, b: Route): boolean =>
  samePrefix(a.destination, b.destination) &&
  metricOf(a) === metricOf(b) &&
  (a.family === 6 || tosOf(a) === tosOf(b)) &&
  sameRecord(a.from, b.from);

/**
 * The order the kernel lists a table in: by network, longest first, then tos falling and metric rising. IPv6 walks its
 * tree children first, so that a network comes after all that it contains.
 */
function compare(a: Route, b: Route): number {
  if (a.family === 6 && a.destination.length !== b.destination.length) {
    if (containsPrefix(a.destination, b.destination)) return 1;
    if (containsPrefix(b.destination, a.destination)) return -1;
  }
  const network = compareAddress(a.destination.address, b.destination.address);
  if (network !== 0) return network;
  return b.destination.length - a.destination.length || tosOf(b) - tosOf(a) || metricOf(a) - metricOf(b);
}

/** Keeps the listing's order where it has one; a list that does not is only appended to. */
function insert(routes: readonly Route[], route: Route, after: boolean): readonly Route[] {
  let at = routes.findIndex((r) => (after ? compare(r, route) > 0 : compare(r, route) >= 0));
  if (at < 0) at = routes.length;
  return [...routes.slice(0, at), route, ...routes.slice(at)];
}

const shape = (r: Route): unknown => {
  const { origin, nexthops, ...rest } = r;
  const hops = nexthops.map(({ flags, ...hop }) => ({
    ...hop,
    flags: flags.filter((f) => f !== "linkdown" && f !== "dead"),
  }));
  return { ...rest, hops };
};

type Adding = Extract<IpCommand, { kind: "route" }>["verb"];

/** Follows fib_table_insert() (net/ipv4/fib_trie.c). */
function add4(routes: readonly Route[], verb: Adding, route: Route): Applied<readonly Route[]> {
  const first = routes.findIndex((r) => sameSlot(r, route));
  if (first < 0) return verb === "change" ? refused("ENOENT") : done(insert(routes, route, true));
  if (verb === "add") return refused("EEXIST");
  const same = routes.findIndex((r) => sameSlot(r, route) && sameRecord(shape(r), shape(route)));
  if (verb === "replace" || verb === "change") {
    if (same === first) return done(routes);
    if (same >= 0) return refused("EEXIST");
    return done(routes.map((r, i) => (i === first ? route : r)));
  }
  if (same >= 0) return refused("EEXIST");
  return done(insert(routes, route, verb === "append"));
}

/** rt6_qualify_for_ecmp(): only routes with a gateway are joined. */
const joins = (r: Route): boolean =>
  r.nexthopId === undefined && r.nexthops.every((h) => h.gateway !== undefined) && r.nexthops.length > 0;

const sameHop = (a: Nexthop, b: Nexthop): boolean => a.device === b.device && sameRecord(a.gateway, b.gateway);

/** Follows fib6_add_rt2node() (net/ipv6/ip6_fib.c): routes of one metric that have gateways become one multipath route. */
function add6(routes: readonly Route[], verb: Adding, route: Route): Applied<readonly Route[]> {
  const slot = routes.filter((r) => sameSlot(r, route));
  if (slot.length === 0) return verb === "change" ? refused("ENOENT") : done(insert(routes, route, true));
  if (verb === "add") return refused("EEXIST");
  const put = (old: Route, fresh: Route): Applied<readonly Route[]> => done(routes.map((r) => (r === old ? fresh : r)));
  const like = slot.find((r) => joins(r) === joins(route));
  if (verb === "replace" || verb === "change") return put(like ?? slot[0]!, route);
  if (slot.some((r) => r.nexthops.some((h) => route.nexthops.some((own) => sameHop(h, own))))) return refused("EEXIST");
  if (like !== undefined && joins(route))
    return put(like, { ...like, nexthops: [...like.nexthops, ...route.nexthops] });
  return done(insert(routes, route, true));
}

function hopMatches(wanted: Nexthop, have: Nexthop | undefined): boolean {
  if (have === undefined) return false;
  if (wanted.device !== undefined && wanted.device !== have.device) return false;
  return wanted.gateway === undefined || (have.gateway !== undefined && wanted.gateway === have.gateway);
}

/** Follows fib_table_delete() and fib_nh_match(): what was not given matches anything, but tos, which must be equal. */
function selected(route: Route, by: RouteSelector, tosCounts: boolean): boolean {
  if (route.family !== by.family) return false;
  if (by.destination !== undefined && !samePrefix(route.destination, by.destination)) return false;
  if (tosCounts && tosOf(route) !== (by.tos ?? 0)) return false;
  if (by.type !== undefined && by.type !== route.type) return false;
  if (by.metric !== undefined && by.metric !== 0 && by.metric !== metricOf(route)) return false;
  if (by.protocol !== undefined && by.protocol !== (route.protocol ?? "boot")) return false;
  if (by.scope !== undefined && by.scope !== (route.scope ?? "global")) return false;
  if (by.prefSrc !== undefined && (route.prefSrc === undefined || by.prefSrc !== route.prefSrc)) return false;
  if (by.nexthopId !== undefined && by.nexthopId !== route.nexthopId) return false;
  if (by.mtu !== undefined && by.mtu !== route.mtu) return false;
  if (by.nexthops.length <= 1) {
    const wanted = by.nexthops[0];
    return wanted === undefined || hopMatches(wanted, route.nexthops[0]);
  }
  return by.nexthops.length === route.nexthops.length && by.nexthops.every((w, i) => hopMatches(w, route.nexthops[i]));
}

/** Follows ip6_route_del(): the type is not compared; a gateway takes one hop out of several. */
function remove6(routes: readonly Route[], by: RouteSelector): Applied<readonly Route[]> {
  const { type, nexthops, scope, ...rest } = by;
  const wanted = nexthops[0];
  const fits = (r: Route): boolean =>
    selected(r, { ...rest, nexthops: [] }, false) &&
    (wanted === undefined || r.nexthops.some((h) => hopMatches(wanted, h)));
  const route = routes.find(fits);
  // An empty root holds the null entry, which fits a bare `default`.
  const nullEntry = by.destination?.length === 0 && wanted === undefined && by.metric === undefined;
  if (route === undefined) return refused(nullEntry ? "ENOENT" : "ESRCH");
  const left = wanted?.gateway === undefined ? [] : route.nexthops.filter((h) => !hopMatches(wanted, h));
  if (left.length === 0) return done(routes.filter((r) => r !== route));
  return done(routes.map((r) => (r === route ? { ...route, nexthops: left } : r)));
}

function remove4(routes: readonly Route[], by: RouteSelector): Applied<readonly Route[]> {
  const at = routes.findIndex((r) => selected(r, by, r.family === 4));
  return at < 0 ? refused("ESRCH") : done([...routes.slice(0, at), ...routes.slice(at + 1)]);
}

type RouteCommand = Extract<IpCommand, { kind: "route" | "route-removal" }>;

/** `ip route …` on the routes of one table and family, in the order of the listing. */
export function applyRoute(routes: readonly Route[], command: RouteCommand): Applied<readonly Route[]> {
  if (command.kind === "route") return (command.route.family === 4 ? add4 : add6)(routes, command.verb, command.route);
  if (command.verb === "delete") return (command.selector.family === 4 ? remove4 : remove6)(routes, command.selector);
  return done(routes.filter((r) => !selected(r, command.selector, false)));
}

/** The same on all tables; a table that is not there yet is made whole and new by `add`. */
export function applyToTables(tables: readonly RouteTable[], command: RouteCommand): Applied<readonly RouteTable[]> {
  const target = command.kind === "route" ? command.route : command.selector;
  const applies = (t: RouteTable): boolean =>
    t.family === target.family && (target.table === undefined || t.id === target.table);
  if (!tables.some(applies)) {
    if (command.kind === "route-removal") return command.verb === "flush" ? done(tables) : refused("ESRCH");
    const { family, table } = command.route;
    const empty: RouteTable = { id: table, family, routes: [], extent: "partial" };
    return applyToTables([...tables, empty], command);
  }
  const changed: RouteTable[] = [];
  for (const table of tables) {
    if (!applies(table)) {
      changed.push(table);
      continue;
    }
    const result = applyRoute(table.routes, command);
    if (!result.ok) return result;
    changed.push({ ...table, routes: result.value });
  }
  return done(changed);
}
