import {
  type Device,
  type Extent,
  type KernelVersion,
  type Route,
  type RouteTable,
  type RoutingRule,
  TABLE_DEFAULT,
  TABLE_LOCAL,
  TABLE_MAIN,
} from "../../model/index.ts";
import { formatPrefix } from "../../net/index.ts";
import { fibOfAddresses } from "./ifaddr.ts";
import { fibOfAddresses6, speaksIpv6 } from "./ifaddr6.ts";
import type { ShownRoutes } from "./merge.ts";
import { tableId } from "./table-id.ts";

export const shownTable = (shown: ShownRoutes, id: number): RouteTable | undefined =>
  shown.tables.find((t) => t.family === 4 && t.id === id);

/** How much of an IPv4 table is known. */
export function extentOf(shown: ShownRoutes, id: number): Extent {
  return shownTable(shown, id)?.extent ?? (shown.all.has(4) ? "whole" : "unread");
}

/** How much of the main table is known. Addresses bring their networks into it: a listing of all tables without it left it out. */
export function mainExtent(shown: ShownRoutes, devices: readonly Device[], kernel: KernelVersion | undefined): Extent {
  const extent = extentOf(shown, TABLE_MAIN);
  if (extent !== "whole" || shownTable(shown, TABLE_MAIN) !== undefined) return extent;
  return fibOfAddresses(devices, kernel).some((r) => r.table === TABLE_MAIN) ? "partial" : "whole";
}

const entry = (r: Route): string => `${r.type} ${formatPrefix(r.destination)} ${r.nexthops[0]?.device ?? ""}`;

/**
 * All tables of a stack: those shown; the local one and the connected routes derived from the addresses where they were not;
 * and a place for every table that a rule looks up, so that "not shown" is told from "empty".
 */
export function routeTables(
  shown: ShownRoutes,
  devices: readonly Device[],
  rules: readonly RoutingRule[],
  madeUp: readonly Route[],
  kernel: KernelVersion | undefined,
): readonly RouteTable[] {
  const fromAddresses = fibOfAddresses(devices, kernel);
  const local = fromAddresses.filter((r) => r.table === TABLE_LOCAL);
  const connected = fromAddresses.filter((r) => r.table === TABLE_MAIN);
  const tables = new Map(shown.tables.map((t) => [`${t.family} ${t.id}`, t]));
  tables.set(`4 ${TABLE_LOCAL}`, localTable(shown, local));
  tables.set(
    `4 ${TABLE_MAIN}`,
    mainTable(
      shown,
      connected,
      madeUp.filter((r) => r.family === 4),
    ),
  );
  if (
    speaksIpv6(
      devices,
      shown.tables.flatMap((t) => t.routes),
    )
  ) {
    const own = fibOfAddresses6(devices);
    tables.set(
      `6 ${TABLE_LOCAL}`,
      localTable6(
        shown,
        own.filter((r) => r.table === TABLE_LOCAL),
      ),
    );
    tables.set(
      `6 ${TABLE_MAIN}`,
      mainTable6(
        shown,
        own.filter((r) => r.table === TABLE_MAIN),
        madeUp.filter((r) => r.family === 6),
      ),
    );
  }
  for (const rule of rules) {
    if (rule.action.kind !== "lookup" || rule.l3mdev === true) continue;
    const id = tableId(rule.action.table);
    const key = `${rule.family} ${id}`;
    if (tables.has(key)) continue;
    const empty = shown.all.has(rule.family) || id === TABLE_DEFAULT;
    tables.set(key, { id, family: rule.family, routes: [], extent: empty ? "whole" : "unread" });
  }
  return [...tables.values()];
}

function localTable(shown: ShownRoutes, derivedRoutes: readonly Route[]): RouteTable {
  const id = TABLE_LOCAL;
  const table = shownTable(shown, id);
  if (table === undefined && !shown.all.has(4)) return { id, family: 4, routes: derivedRoutes, extent: "whole" };
  const known = new Set((table?.routes ?? []).map(entry));
  const missing = derivedRoutes.filter((r) => !known.has(entry(r)));
  if (table === undefined || table.extent !== "whole") {
    return { id, family: 4, routes: [...(table?.routes ?? []), ...missing], extent: "whole" };
  }
  return table;
}

const shownTable6 = (shown: ShownRoutes, id: number): RouteTable | undefined =>
  shown.tables.find((t) => t.family === 6 && t.id === id);

/** `ip -6 route` leaves table local out, as `ip route` does. */
function localTable6(shown: ShownRoutes, own: readonly Route[]): RouteTable {
  const table = shownTable6(shown, TABLE_LOCAL);
  if (table?.extent === "whole") return table;
  const known = new Set((table?.routes ?? []).map(entry));
  const missing = own.filter((r) => !known.has(entry(r)));
  return { id: TABLE_LOCAL, family: 6, routes: [...(table?.routes ?? []), ...missing], extent: "whole" };
}

function mainTable6(shown: ShownRoutes, connected: readonly Route[], madeUp: readonly Route[]): RouteTable {
  const table = shownTable6(shown, TABLE_MAIN);
  if (table?.extent === "whole") return table;
  if (table === undefined && shown.all.has(6)) return { id: TABLE_MAIN, family: 6, routes: [], extent: "whole" };
  const known = new Set((table?.routes ?? []).map(entry));
  const missing = connected.filter((r) => !known.has(entry(r)));
  return {
    id: TABLE_MAIN,
    family: 6,
    routes: [...(table?.routes ?? []), ...missing, ...(table === undefined ? madeUp : [])],
    extent: "partial",
  };
}

/** Routes nobody showed are added to a main table that was not shown in full. */
function mainTable(shown: ShownRoutes, connected: readonly Route[], madeUp: readonly Route[]): RouteTable {
  const id = TABLE_MAIN;
  const table = shownTable(shown, id);
  if (table === undefined && !shown.all.has(4))
    return { id, family: 4, routes: [...connected, ...madeUp], extent: "partial" };
  if (table === undefined) {
    const extent = connected.length > 0 ? "partial" : "whole";
    return { id, family: 4, routes: [...connected, ...madeUp], extent };
  }
  if (table.extent === "whole") return table;
  const known = new Set(table.routes.map(entry));
  return { ...table, routes: [...table.routes, ...connected.filter((r) => !known.has(entry(r))), ...madeUp] };
}
