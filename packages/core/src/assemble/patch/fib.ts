import { type Device, type Route, type RouteTable, type Stack, TABLE_LOCAL } from "../../model/index.ts";
import { type Address, formatAddress, formatPrefix } from "../../net/index.ts";
import { fibAddIfaddr, ipv4Of } from "../routes/ifaddr.ts";
import { fibAddIfaddr6 } from "../routes/ifaddr6.ts";

const keyOf = (r: Route): string =>
  `${r.table} ${r.type} ${formatPrefix(r.destination)} ${r.nexthops[0]?.device ?? ""} ${r.metric ?? 0}`;

const kernelRoutes = (device: Device | undefined, stack: Stack): ReadonlyMap<string, Route> => {
  if (device === undefined) return new Map();
  const routes = [
    ...ipv4Of(device).flatMap((a) => fibAddIfaddr(device, a, stack.machine.kernel)),
    ...device.addresses.flatMap((a) => fibAddIfaddr6(device, a)),
  ];
  return new Map(routes.map((r) => [keyOf(r), r]));
};

/**
 * The tables after a device changed: what its addresses brought along goes or comes (fib_add_ifaddr(), fib_del_ifaddr()),
 * routes from an address that is gone go with it (fib_sync_down_addr()), and so does every route of a device that went
 * down, vanished, or lost its last address (fib_sync_down_dev(), fib_disable_ip()).
 */
export function resyncFib(before: Stack, after: Stack): Stack {
  let tables = after.routeTables;
  const was = new Map(before.devices.items.map((d) => [d.name, d]));
  const is = new Map(after.devices.items.map((d) => [d.name, d]));
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const old = was.get(name);
    const now = is.get(name);
    if (old === now) continue;
    const had = kernelRoutes(old, before);
    const has = kernelRoutes(now, after);
    tables = remove(tables, (r) => had.has(keyOf(r)) && !has.has(keyOf(r)) && r.protocol === "kernel");
    const lost = old !== undefined && ipv4Of(old).length > 0 && (now === undefined || ipv4Of(now).length === 0);
    if (now === undefined) tables = withoutDevice(tables, name, () => true);
    else if (lost || (old?.up !== false && now.up === false))
      tables = withoutDevice(tables, name, (r) => (lost && r.family === 4) || (now.up === false && r.type !== "local"));
    for (const [key, route] of has) if (!had.has(key) || now?.up !== old?.up) tables = add(tables, route);
  }
  return { ...after, routeTables: withoutLostSources(before, after, tables) };
}

const remove = (tables: readonly RouteTable[], goes: (r: Route) => boolean): readonly RouteTable[] =>
  tables.map((t) => (t.routes.some(goes) ? { ...t, routes: t.routes.filter((r) => !goes(r)) } : t));

/** A route with several next hops loses only the one; the rest goes on without it. */
function withoutDevice(
  tables: readonly RouteTable[],
  device: string,
  goes: (r: Route) => boolean,
): readonly RouteTable[] {
  return tables.map((t) => ({
    ...t,
    routes: t.routes.flatMap((r): Route[] => {
      if (!r.nexthops.some((n) => n.device === device) || !goes(r)) return [r];
      const rest = r.nexthops.filter((n) => n.device !== device);
      return rest.length === 0 ? [] : [{ ...r, nexthops: rest }];
    }),
  }));
}

function add(tables: readonly RouteTable[], route: Route): readonly RouteTable[] {
  const key = keyOf(route);
  const fits = (t: RouteTable) => t.id === route.table && t.family === route.family;
  if (!tables.some(fits))
    return [...tables, { id: route.table, family: route.family, routes: [route], extent: "partial" }];
  return tables.map((t) =>
    fits(t) && !t.routes.some((r) => keyOf(r) === key) ? { ...t, routes: [...t.routes, route] } : t,
  );
}

const addressesOf = (stack: Stack): ReadonlyMap<string, Address> =>
  new Map(
    stack.devices.items.flatMap((d) =>
      d.addresses.map((a) => [formatAddress(a.prefix.address), a.prefix.address] as const),
    ),
  );

function withoutLostSources(before: Stack, after: Stack, tables: readonly RouteTable[]): readonly RouteTable[] {
  const has = addressesOf(after);
  const lost = new Set([...addressesOf(before).keys()].filter((a) => !has.has(a)));
  if (lost.size === 0) return tables;
  return remove(
    tables,
    (r) => r.table !== TABLE_LOCAL && r.prefSrc !== undefined && lost.has(formatAddress(r.prefSrc)),
  );
}
