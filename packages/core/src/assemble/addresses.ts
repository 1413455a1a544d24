import {
  type Device,
  type DeviceAddress,
  derived,
  type Origin,
  type Route,
  type RouteGet,
  TABLE_LOCAL,
  TABLE_MAIN,
} from "../model/index.ts";
import {
  contains,
  formatAddress,
  hostPrefix,
  isHost,
  isIpv4,
  isLinkLocal,
  isLoopback,
  type Prefix,
} from "../net/index.ts";

/** What routes and answers of `ip route get` prove about addresses that no list shows. */
export interface AddressProofs {
  readonly routes: readonly Route[];
  readonly gets: readonly RouteGet[];
}

interface Proof {
  readonly device: string;
  readonly prefix: Prefix;
  readonly peer?: Prefix;
  readonly rule: string;
  readonly origin: Origin;
}

/**
 * Adds addresses that follow from routes: the kernel itself writes `proto kernel … src ADDR` and the local table, and it
 * takes no route whose `src` is not an address of its own (fib_valid_prefsrc()).
 */
export function withProvenAddresses(devices: readonly Device[], proofs: AddressProofs): readonly Device[] {
  const added = new Map<string, DeviceAddress[]>();
  const owners = new Set(devices.flatMap((d) => d.addresses.map((a) => formatAddress(a.prefix.address))));
  const byName = new Map(devices.map((d) => [d.name, d]));
  for (const proof of allProofs(proofs)) {
    const { address } = proof.prefix;
    const shown = formatAddress(address);
    const device = byName.get(proof.device);
    if (device === undefined || owners.has(shown)) continue;
    if (device.addressesKnown) continue;
    owners.add(shown);
    const entry: DeviceAddress = {
      prefix: proof.prefix,
      ...(proof.peer === undefined ? {} : { peer: proof.peer }),
      scope: !isIpv4(address) && isLinkLocal(address) ? "link" : "global",
      flags: [],
      origin: derived(proof.rule, proof.origin),
    };
    added.set(device.name, [...(added.get(device.name) ?? []), entry]);
  }
  if (added.size === 0) return devices;
  return devices.map((d) => {
    const more = added.get(d.name);
    return more === undefined ? d : { ...d, addresses: [...d.addresses, ...more] };
  });
}

function allProofs({ routes, gets }: AddressProofs): readonly Proof[] {
  const connected = routes.filter((r) => r.table !== TABLE_LOCAL);
  const main = connected.filter((r) => isIpv4(r.destination.address));
  const kernel = main.filter((r) => r.protocol === "kernel" && r.type === "unicast").flatMap(fromConnected);
  const locals = routes
    .filter((r) => r.table === TABLE_LOCAL && r.type === "local")
    .flatMap((r) => fromLocal(r, connected));
  const sources = main.filter((r) => r.protocol !== "kernel").flatMap(fromSource);
  return [...kernel, ...locals, ...sources, ...gets.flatMap(fromGet)];
}

function fromConnected(route: Route): readonly Proof[] {
  const device = route.nexthops[0]?.device;
  const { prefSrc, destination, origin } = route;
  if (device === undefined || prefSrc === undefined) return [];
  const rule = "address from a kernel route";
  if (contains(destination, prefSrc)) {
    return [{ device, prefix: { address: prefSrc, length: destination.length }, rule, origin }];
  }
  // `10.1.1.2 dev ppp0 proto kernel src 10.1.1.1`: the far end of a point-to-point address.
  return [{ device, prefix: hostPrefix(prefSrc), peer: destination, rule, origin }];
}

function fromLocal(route: Route, main: readonly Route[]): readonly Proof[] {
  const device = route.nexthops[0]?.device;
  const { address, length } = route.destination;
  if (device === undefined || !isHost(route.destination) || isLoopback(address)) return [];
  if (route.protocol !== undefined && route.protocol !== "kernel") return [];
  const connected = main.find(
    (r) =>
      r.table === TABLE_MAIN &&
      r.protocol === "kernel" &&
      r.nexthops[0]?.device === device &&
      contains(r.destination, address),
  );
  const prefix = { address, length: connected?.destination.length ?? length };
  return [{ device, prefix, rule: "address from the local table", origin: route.origin }];
}

function fromSource(route: Route): readonly Proof[] {
  const device = route.nexthops[0]?.device;
  if (device === undefined || route.prefSrc === undefined) return [];
  return [
    { device, prefix: hostPrefix(route.prefSrc), rule: "address from the source of a route", origin: route.origin },
  ];
}

function fromGet(answer: RouteGet): readonly Proof[] {
  const { source, device, origin, destination } = answer;
  if (answer.from !== undefined || answer.iif !== undefined || device === undefined || source === undefined) return [];
  if (!isIpv4(source) || device === "lo" || source === destination) return [];
  return [{ device, prefix: hostPrefix(source), rule: "address from ip route get", origin }];
}
