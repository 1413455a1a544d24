import {
  type Device,
  type DeviceAddress,
  derived,
  type KernelVersion,
  type Origin,
  type Route,
  type RouteType,
  TABLE_LOCAL,
  TABLE_MAIN,
} from "../../model/index.ts";
import {
  type Address,
  BROADCAST4,
  formatPrefix,
  hostPrefix,
  isIpv4,
  isUnspecified,
  lastOf,
  networkOf,
  type Prefix,
  samePrefix,
} from "../../net/index.ts";

const isSecondary = (a: DeviceAddress): boolean => a.flags.includes("secondary");
export const ipv4Of = (device: Device): readonly DeviceAddress[] =>
  device.addresses.filter((a) => isIpv4(a.prefix.address));

/** The subnet of an address: that of its peer, where it has one (ifa_address and ifa_mask). */
const subnetOf = (a: DeviceAddress): Prefix =>
  networkOf(a.peer === undefined ? a.prefix : { address: a.peer.address, length: a.peer.length });

/** The primary address of a secondary one's subnet (inet_ifa_byprefix()). */
function primaryOf(device: Device, a: DeviceAddress): Address {
  if (!isSecondary(a)) return a.prefix.address;
  const subnet = subnetOf(a);
  const primary = ipv4Of(device).find((o) => !isSecondary(o) && samePrefix(subnetOf(o), subnet));
  return (primary ?? a).prefix.address;
}

function magic(
  type: RouteType,
  device: Device,
  destination: Prefix,
  source: Address,
  origin: Origin,
  metric?: number,
): Route {
  return {
    type,
    family: 4,
    destination,
    table: type === "unicast" ? TABLE_MAIN : TABLE_LOCAL,
    ...(metric === undefined || metric === 0 ? {} : { metric }),
    protocol: "kernel",
    scope: type === "local" ? "host" : "link",
    prefSrc: source,
    nexthops: [{ device: device.name, weight: 1, flags: [] }],
    extra: [],
    origin,
  };
}

/** Kernels before 5.14 also kept the subnet's own address as a broadcast address (docs/kernel-spec.md 8.2). */
const hasNetworkBroadcast = (kernel: KernelVersion | undefined): boolean =>
  kernel !== undefined && (kernel.major < 5 || (kernel.major === 5 && kernel.minor < 14));

/**
 * The routes that an IPv4 address brings along. Follows fib_add_ifaddr() (net/ipv4/fib_frontend.c): the local entry comes
 * even on a device that is down; broadcasts and the connected route only on one that is up.
 */
export function fibAddIfaddr(device: Device, a: DeviceAddress, kernel?: KernelVersion): readonly Route[] {
  const { address } = a.prefix;
  if (!isIpv4(address)) return [];
  const source = primaryOf(device, a);
  const local = derived("local table from the addresses", a.origin);
  const routes = [magic("local", device, hostPrefix(address), source, local)];
  if (device.up === false) return routes;
  if (a.broadcast !== undefined && isIpv4(a.broadcast) && a.broadcast !== BROADCAST4) {
    routes.push(magic("broadcast", device, hostPrefix(a.broadcast), source, local));
  }
  const subnet = subnetOf(a);
  const base = subnet.address;
  if (isUnspecified(base) || isSecondary(a) || (base === address && subnet.length === 32)) return routes;
  if (!a.flags.includes("noprefixroute")) {
    const connected = derived("connected route from the address", a.origin);
    const loopback = device.kind === "loopback";
    routes.push(magic(loopback ? "local" : "unicast", device, subnet, source, loopback ? local : connected, a.metric));
  }
  if (subnet.length < 31) {
    const last = lastOf(subnet);
    if (last !== a.broadcast) routes.push(magic("broadcast", device, hostPrefix(last), source, local));
    if (hasNetworkBroadcast(kernel)) routes.push(magic("broadcast", device, hostPrefix(base), source, local));
  }
  return routes;
}

/** What all addresses of a stack bring along, without repeating an entry. */
export function fibOfAddresses(devices: readonly Device[], kernel?: KernelVersion): readonly Route[] {
  const seen = new Set<string>();
  return devices.flatMap((device) =>
    ipv4Of(device).flatMap((a) =>
      fibAddIfaddr(device, a, kernel).filter((r) => {
        const key = `${r.type} ${formatPrefix(r.destination)} ${device.name} ${r.metric ?? 0}`;
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      }),
    ),
  );
}
