import type { Extent, Nexthop, NexthopObject, Origin, Route, RouteTable } from "../../model/index.ts";
import { type Family, formatAddress, formatPrefix } from "../../net/index.ts";
import type { Dumped } from "../dumped.ts";
import { tableId } from "./table-id.ts";

type Id = number | string;

/** All listings of one table, in the order given. */
interface Listed {
  readonly routes: readonly Route[];
  readonly extent: Extent;
  readonly origin: Origin;
}

export interface ShownRoutes {
  readonly tables: readonly RouteTable[];
  /** Families of which `ip route show table all` was shown whole: a table it lacks is empty. */
  readonly all: ReadonlySet<Family>;
}

/** One record a table from all listings of routes. */
export function mergeRoutes(listings: readonly Dumped<"routes">[], nexthops: readonly NexthopObject[]): ShownRoutes {
  const listed = new Map<string, { readonly id: Id; readonly family: Family; readonly by: Listed[] }>();
  const all = new Set<Family>();
  for (const { fact, dump } of listings) {
    const { family } = fact;
    const extent: Extent = fact.extent === "whole" ? "whole" : "partial";
    const byTable = new Map<Id, Route[]>();
    if (fact.tables === "all") {
      if (extent === "whole") all.add(family);
    } else for (const id of fact.tables) byTable.set(tableId(id), []);
    for (const route of fact.routes) {
      const id = tableId(route.table);
      const own = { ...withNexthops(route, nexthops), table: id };
      const same = byTable.get(id);
      if (same === undefined) byTable.set(id, [own]);
      else same.push(own);
    }
    const origin: Origin = { kind: "read", file: dump.file, line: dump.lines[0] };
    for (const [id, routes] of byTable) {
      const key = `${family} ${id}`;
      const entry = listed.get(key) ?? { id, family, by: [] };
      entry.by.push({ routes, extent, origin });
      listed.set(key, entry);
    }
  }
  const tables = [...listed.values()].map(({ id, family, by }): RouteTable => {
    const { routes, extent } = mergeListings(by);
    return { id, family, routes, extent };
  });
  return { tables, all };
}

/** Whole beats partial, detail (who installed it, which source) beats none, the first beats the later. */
function mergeListings(by: readonly Listed[]): Omit<Listed, "origin"> {
  const wholes = by.filter((l) => l.extent === "whole");
  const detail = (l: Listed) => l.routes.filter((r) => r.protocol !== undefined || r.prefSrc !== undefined).length;
  const base = wholes.reduce<Listed | undefined>(
    (a, b) => (a === undefined || detail(b) > detail(a) ? b : a),
    undefined,
  );
  if (base === undefined) {
    const routes = new Map<string, Route>();
    for (const r of by.flatMap((l) => l.routes)) if (!routes.has(routeKey(r))) routes.set(routeKey(r), r);
    return { routes: [...routes.values()], extent: "partial" };
  }
  return base;
}

/** What `route -n` and `ip route` both show of a route. */
const routeKey = (r: Route): string =>
  [
    formatPrefix(r.destination),
    r.metric ?? 0,
    r.tos ?? 0,
    ...r.nexthops.map((n) => `${n.gateway === undefined ? "" : formatAddress(n.gateway)}@${n.device ?? ""}`),
  ].join(" ");

/** `nhid N`: recent ip(8) prints the next hop beside it, old ones only the number. */
function withNexthops(route: Route, objects: readonly NexthopObject[]): Route {
  if (route.nexthopId === undefined || route.nexthops.length > 0) return route;
  const object = objects.find((o) => o.id === route.nexthopId);
  if (object === undefined) return route;
  if (object.blackhole) return { ...route, type: "blackhole" };
  const members = object.group ?? [{ id: object.id, weight: 1 }];
  const nexthops = members.flatMap(({ id, weight }): Nexthop[] => {
    const hop = objects.find((o) => o.id === id)?.nexthop;
    return hop === undefined ? [] : [{ ...hop, weight }];
  });
  return { ...route, nexthops };
}
