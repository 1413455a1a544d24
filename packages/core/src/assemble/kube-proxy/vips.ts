import {
  type Device,
  type DeviceAddress,
  derived,
  type IpSet,
  type Ipvs,
  KUBE_IPVS0,
  type Origin,
  PROXY_SET,
  plainSetName,
  type VirtualService,
} from "../../model/index.ts";
import { type Address, formatAddress, hostPrefix, maxLength } from "../../net/index.ts";
import { serviceId } from "../../parse/ipvs/index.ts";
import type { KubeProxy } from "./mode.ts";
import type { Served } from "./served.ts";
import { servedOf } from "./sets.ts";

export interface VipSources {
  readonly devices: readonly Device[];
  /** Whether `devices` is all there are: then kube-ipvs0 is there only if it is listed. */
  readonly allDevices: boolean;
  readonly ipvs: Ipvs;
  /** Shown by a dump, not derived. */
  readonly ipsets: readonly IpSet[];
  /** Service addresses that IPVS serves. */
  readonly services: readonly Served[];
  readonly kubeProxy: KubeProxy | undefined;
  /** Stated in case.yaml: addresses of load balancers that this node binds, or does not. */
  readonly stated: ReadonlyMap<Address, { readonly bound: boolean | "?"; readonly origin: Origin }>;
}

export interface Vips {
  readonly devices: readonly Device[];
  readonly ipvs: Ipvs;
}

export const vipAddress = (address: Address, origin: Origin): DeviceAddress => ({
  prefix: hostPrefix(address),
  scope: "global",
  flags: [],
  label: KUBE_IPVS0,
  origin,
});

/** kube-proxy's dummy device as it makes it: never up, addresses of Services on it. */
export const kubeIpvs0 = (origin: Origin): Device => ({
  name: KUBE_IPVS0,
  kind: "dummy",
  linkType: "ether",
  flags: ["BROADCAST", "NOARP"],
  up: false,
  addresses: [],
  addressesKnown: false,
  origin,
});

/** A virtual service that kube-proxy must keep, whose real servers nobody showed. */
export const undumpedService = (s: Served, origin: Origin): VirtualService => ({
  key: { kind: "address", protocol: s.protocol, address: s.address, port: s.port },
  scheduler: "rr",
  onePacket: false,
  notShown: ["scheduler", "persistence", "onePacket"],
  realServers: [],
  extent: "unread",
  origin,
});

/**
 * Puts on kube-ipvs0 what kube-proxy binds there, where the device's own list was not shown: every address that IPVS serves,
 * every cluster IP, and what its own set of bound addresses holds. A load balancer's address of which nothing but its set tells is not bound here: some clouds keep it off the
 * nodes, so the walk asks.
 */
export function withVips(sources: VipSources): Vips {
  const { devices, ipvs, services, kubeProxy, stated } = sources;
  const device = devices.find((d) => d.name === KUBE_IPVS0);
  const runs =
    device === undefined
      ? !sources.allDevices && (kubeProxy === undefined || kubeProxy.mode === "ipvs")
      : kubeProxy?.mode === "ipvs";
  const bound = new Map<Address, Origin>();
  const undumped: VirtualService[] = [];
  const served = new Set(ipvs.services.map((s) => serviceId(s.key)));
  const elsewhere = ownAddresses(devices.filter((d) => d !== device));
  const owned = (address: Address): boolean => elsewhere.has(formatAddress(address));
  if (runs && device?.addressesKnown !== true) {
    for (const s of services) if (!owned(s.address) && !bound.has(s.address)) bound.set(s.address, s.origin);
    for (const s of membersOf(sources.ipsets, PROXY_SET.clusterIp))
      if (!bound.has(s.address)) bound.set(s.address, s.origin);
    for (const [address, origin] of boundByName(sources.ipsets))
      if (!owned(address) && !bound.has(address)) bound.set(address, origin);
  }
  for (const [address, { bound: says, origin }] of stated) {
    if (says === true) bound.set(address, origin);
    else if (says === false) bound.delete(address);
  }
  const shown = ownAddresses(device === undefined ? [] : [device]);
  if (ipvs.extent !== "whole") {
    for (const s of membersOf(sources.ipsets, PROXY_SET.clusterIp, PROXY_SET.loadBalancer, PROXY_SET.externalIp)) {
      const service = undumpedService(
        s,
        derived("kube-proxy keeps a virtual service for each member of its sets", s.origin),
      );
      const here = bound.has(s.address) || shown.has(formatAddress(s.address));
      if (!here || served.has(serviceId(service.key))) continue;
      served.add(serviceId(service.key));
      undumped.push(service);
    }
  }
  const withDevice = bound.size === 0 ? devices : bind(devices, bound);
  return { devices: withDevice, ipvs: { ...ipvs, services: [...ipvs.services, ...undumped] } };
}

const ownAddresses = (devices: readonly Device[]): ReadonlySet<string> =>
  new Set(devices.flatMap((d) => d.addresses.map((a) => formatAddress(a.prefix.address))));

const membersOf = (sets: readonly IpSet[], ...names: readonly string[]): readonly Served[] =>
  sets
    .filter((s) => names.includes(plainSetName(s.name)))
    .flatMap((s) => s.entries)
    .flatMap((e) => (e.nomatch ? [] : (servedOf(e) ?? [])));

/** kube-proxy keeps in a set what it has bound (activeBindAddrs of its IPVS mode, from 1.26 on). */
const boundByName = (sets: readonly IpSet[]): ReadonlyMap<Address, Origin> =>
  new Map(
    sets
      .filter((s) => plainSetName(s.name) === PROXY_SET.bound)
      .flatMap((s) => s.entries)
      .flatMap(({ parts: [ip], nomatch, origin }): readonly (readonly [Address, Origin])[] =>
        !nomatch && ip?.kind === "address" && ip.length === maxLength(ip.from) ? [[ip.from, origin]] : [],
      ),
  );

function bind(devices: readonly Device[], bound: ReadonlyMap<Address, Origin>): readonly Device[] {
  const known = devices.find((d) => d.name === KUBE_IPVS0);
  const [first] = bound.values();
  const device = known ?? kubeIpvs0(derived("IPVS serves addresses that some device must have", first!));
  const own = ownAddresses(devices);
  const fresh = [...bound].filter(([address]) => !own.has(formatAddress(address)));
  if (fresh.length === 0) return devices;
  const addresses = fresh.map(([address, origin]) => vipAddress(address, derived("VIP on kube-ipvs0", origin)));
  const filled: Device = { ...device, addresses: [...device.addresses, ...addresses] };
  return known === undefined ? [...devices, filled] : devices.map((d) => (d === known ? filled : d));
}
