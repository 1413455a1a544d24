import {
  type Device,
  type DeviceAddress,
  derived,
  type Route,
  type RouteType,
  TABLE_LOCAL,
  TABLE_MAIN,
} from "../../model/index.ts";
import {
  hostPrefix,
  type Ipv6,
  isIpv4,
  isLinkLocal,
  isLoopback,
  LOOPBACK6,
  networkOf,
  type Prefix,
} from "../../net/index.ts";

const isHeld = ({ flags }: DeviceAddress): boolean =>
  flags.includes("optimistic") || (!flags.includes("tentative") && !flags.includes("dadfailed"));

function brought(type: RouteType, device: Device, destination: Prefix, a: DeviceAddress): Route {
  const local = type === "local";
  return {
    type,
    family: 6,
    destination,
    table: local ? TABLE_LOCAL : TABLE_MAIN,
    metric: local ? 0 : (a.metric ?? 256),
    protocol: "kernel",
    nexthops: [{ device: device.name, weight: 1, flags: [] }],
    extra: [],
    origin: derived(local ? "local table from the addresses" : "connected route from the address", a.origin),
  };
}

/**
 * The routes that an IPv6 address brings along. Follows ipv6_ifa_notify() and addrconf_prefix_route() (addrconf.c): a local entry as soon as
 * DAD is over, also on a device that is down, and the route of its prefix. Anycast entries of a router are not among them.
 */
export function fibAddIfaddr6(device: Device, a: DeviceAddress): readonly Route[] {
  const { address } = a.prefix;
  if (isIpv4(address) || !isHeld(a)) return [];
  const own = brought("local", device, hostPrefix(address), a);
  const connected = device.up !== false && !isLoopback(address) && !a.flags.includes("noprefixroute");
  return connected ? [own, brought("unicast", device, networkOf(a.peer ?? a.prefix), a)] : [own];
}

/** What all IPv6 addresses of a stack bring along. */
export const fibOfAddresses6 = (devices: readonly Device[]): readonly Route[] => {
  const routes = devices.flatMap((d) => d.addresses.flatMap((a) => fibAddIfaddr6(d, a)));
  const lo = devices.find((d) => d.kind === "loopback");
  if (lo === undefined || routes.some((r) => r.destination.address === LOOPBACK6)) return routes;
  const entry: DeviceAddress = { prefix: hostPrefix(LOOPBACK6), scope: "host", flags: [], origin: lo.origin };
  return [brought("local", lo, entry.prefix, entry), ...routes];
};

const leadsAnywhere = (address: Ipv6): boolean => !isLinkLocal(address) && !isLoopback(address);

/** Whether anything shows that a stack speaks IPv6 beyond its links. */
export const speaksIpv6 = (devices: readonly Device[], routes: readonly Route[]): boolean =>
  routes.some((r) => r.family === 6) ||
  devices.some((d) => d.addresses.some(({ prefix }) => !isIpv4(prefix.address) && leadsAnywhere(prefix.address)));
