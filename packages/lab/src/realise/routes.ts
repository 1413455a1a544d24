import {
  assumed,
  type Device,
  type DeviceAddress,
  type Route,
  type RouteTable,
  type RoutingRule,
  type Stack,
  TABLE_LOCAL,
  TABLE_MAIN,
} from "@hairpin/core/model/index.ts";
import {
  contains,
  hostPrefix,
  isIpv4,
  isLoopback,
  networkOf,
  type Prefix,
  samePrefix,
} from "@hairpin/core/net/index.ts";
import type { Remarks } from "./report.ts";

const origin = assumed("made by the kernel");

/** fib_add_ifaddr(): what the kernel adds for an IPv4 address by itself, broadcast routes left aside. */
function routesOfAddress(device: Device, address: DeviceAddress, primary: DeviceAddress): readonly Route[] {
  const { prefix } = address;
  if (!isIpv4(prefix.address)) return connected6(device, address);
  const route = (rest: Partial<Route> & Pick<Route, "destination" | "table">): Route => ({
    type: "unicast",
    family: 4,
    nexthops: [{ device: device.name, weight: 1, flags: [] }],
    protocol: "kernel",
    prefSrc: primary.prefix.address,
    extra: [],
    origin,
    ...rest,
  });
  const made = [route({ type: "local", scope: "host", table: TABLE_LOCAL, destination: hostPrefix(prefix.address) })];
  const subnet: Prefix = networkOf(address.peer ?? prefix);
  const plain = !address.flags.includes("noprefixroute") && !address.flags.includes("secondary");
  if (device.up !== false && plain && prefix.length < 32 && device.kind !== "loopback") {
    const metric = address.metric === undefined ? {} : { metric: address.metric };
    made.push(route({ scope: "link", table: TABLE_MAIN, destination: subnet, ...metric }));
  } else if (device.up !== false && address.peer !== undefined) {
    made.push(route({ scope: "link", table: TABLE_MAIN, destination: subnet }));
  }
  return made;
}

/** addrconf_prefix_route(); the entries of table local are left to the kernel. */
function connected6(device: Device, { prefix, peer, flags, metric }: DeviceAddress): readonly Route[] {
  if (device.up === false || device.kind === "loopback" || flags.includes("noprefixroute")) return [];
  return [
    {
      type: "unicast",
      family: 6,
      destination: networkOf(peer ?? prefix),
      table: TABLE_MAIN,
      metric: metric ?? 256,
      protocol: "kernel",
      nexthops: [{ device: device.name, weight: 1, flags: [] }],
      extra: [],
      origin,
    },
  ];
}

/** The second address of a subnet is a secondary one: it adds no route to the subnet, and its own names the first. */
function kernelRoutes(devices: readonly Device[]): readonly Route[] {
  return devices.flatMap((device) =>
    device.addresses.flatMap((address, i) => {
      const primary = isIpv4(address.prefix.address)
        ? device.addresses.slice(0, i).find((a) => sameSubnet(a.prefix, address.prefix))
        : undefined;
      const flags = primary !== undefined ? [...address.flags, "secondary"] : address.flags;
      return routesOfAddress(device, { ...address, flags }, primary ?? address);
    }),
  );
}

const sameSubnet = (a: Prefix, b: Prefix): boolean => a.length === b.length && contains(a, b.address);

const sameRoute = (a: Route, b: Route): boolean =>
  a.type === b.type &&
  samePrefix(networkOf(a.destination), networkOf(b.destination)) &&
  (a.metric ?? 0) === (b.metric ?? 0) &&
  (a.tos ?? 0) === (b.tos ?? 0) &&
  a.nexthops.length === b.nexthops.length &&
  a.nexthops.every((hop, i) => hop.device === b.nexthops[i]?.device && hop.gateway === b.nexthops[i]?.gateway);

export interface Routing {
  readonly routes: readonly Route[];
  readonly removedRoutes: readonly Route[];
  readonly rules?: readonly RoutingRule[];
}

/** What must be added to and taken from what the kernel makes of the addresses, so that the tables are the World's. */
export function routingOf(stack: Stack, devices: readonly Device[], remarks: Remarks): Routing {
  const names = new Set(devices.map((d) => d.name));
  const numbers = new TableNumbers(stack);
  const own = kernelRoutes(devices);
  const routes: Route[] = [];
  const removed: Route[] = [];
  for (const table of stack.routeTables) {
    const id = numbers.of(table.id);
    const wanted = table.routes
      .map((route) => ({ ...withoutDead(route), table: id }))
      .filter((r) => usable(r, names, stack, remarks));
    const mine = own.filter((r) => r.table === id && r.family === table.family);
    const observed = table.extent !== "unread";
    for (const route of mine) {
      const there = wanted.find((r) => sameRoute(r, route));
      if (there === undefined ? isAbsent(table, route) : there.prefSrc !== route.prefSrc) removed.push(route);
    }
    const extra = observed ? wanted.filter((r) => !mine.some((m) => sameRoute(m, r) && m.prefSrc === r.prefSrc)) : [];
    routes.push(...(id === TABLE_LOCAL ? extra.filter((r) => !comesWithLocal(r)) : extra));
  }
  // A stack whose rules nobody showed may still have some that a patch added.
  const { items, extent } = stack.routingRules;
  const rules = extent === "unread" && items.length === 0 ? undefined : items.map((r) => numbers.inRule(r));
  return { routes, removedRoutes: removed, ...(rules === undefined ? {} : { rules }) };
}

/** No kernel takes a next hop on a device that is down; it kills those it has. */
function withoutDead(route: Route): Route {
  const alive = route.nexthops.filter((hop) => !hop.flags.includes("dead"));
  return alive.length === 0 ? route : { ...route, nexthops: alive };
}

/** Only a whole listing proves absence. */
const isAbsent = (table: RouteTable, route: Route): boolean =>
  table.extent === "whole" && (table.routes.length > 0 || route.table !== TABLE_LOCAL);

/** Broadcast entries and those of 127/8 come and go with the addresses, and differ between kernels. */
const comesWithLocal = (route: Route): boolean =>
  route.type === "broadcast" ||
  route.type === "multicast" ||
  route.type === "anycast" ||
  isLoopback(route.destination.address) ||
  route.family === 6;

function usable(route: Route, names: ReadonlySet<string>, stack: Stack, remarks: Remarks): boolean {
  const lost = route.nexthops.find((hop) => hop.device !== undefined && !names.has(hop.device));
  if (lost !== undefined) remarks.add("missing", stack.name, `routes through ${lost.device}, which is not there`);
  return lost === undefined;
}

/** Tables that a dump names and does not number get numbers of the lab's own. */
class TableNumbers {
  readonly #made = new Map<string, number>();

  constructor(stack: Stack) {
    const ids = [
      ...stack.routeTables.map((t) => t.id),
      ...stack.routingRules.items.map((r) => (r.action.kind === "lookup" ? r.action.table : 0)),
    ];
    for (const id of ids) {
      if (typeof id === "string" && !this.#made.has(id)) this.#made.set(id, 900_000 + this.#made.size);
    }
  }

  of(id: number | string): number {
    return typeof id === "number" ? id : this.#made.get(id)!;
  }

  inRule(rule: RoutingRule): RoutingRule {
    if (rule.action.kind !== "lookup") return rule;
    return { ...rule, action: { kind: "lookup", table: this.of(rule.action.table) } };
  }
}
