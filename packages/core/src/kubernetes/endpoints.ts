import {
  type EndpointPort,
  isOver,
  type KubernetesEndpoint,
  type KubernetesEndpoints,
  type KubernetesPod,
  type Origin,
} from "../model/index.ts";
import { type Address, type Family, familyOf, formatAddress, isIpv4 } from "../net/index.ts";
import type { ProxyServicePort } from "./service-ports.ts";
import { isSince, type KubernetesVersion } from "./version.ts";

/** One address and port behind a Service port. Follows BaseEndpointInfo (pkg/proxy/endpoint.go). */
export interface ProxyEndpoint {
  readonly address: Address;
  readonly port: number;
  /** `10.0.0.1:80`, `[fd00::1]:80`: what kube-proxy sorts and hashes by. */
  readonly text: string;
  readonly isLocal: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly zoneHints: readonly string[];
  readonly nodeHints: readonly string[];
  readonly nodeName?: string;
  readonly zone?: string;
  readonly origin: Origin;
}

/** On which node an address is, from the Pods: for rows of `kubectl get`, which do not say it. */
export type Places = ReadonlyMap<string, string>;

/** Kept by the list: every node of a cluster asks. */
const places = new WeakMap<readonly KubernetesPod[], Places>();

export function placesOf(pods: readonly KubernetesPod[]): Places {
  let known = places.get(pods);
  if (known === undefined) {
    const placed = pods.filter((p) => p.nodeName !== undefined && !isOver(p));
    known = new Map(placed.flatMap((p) => p.addresses.map((a): [string, string] => [formatAddress(a), p.nodeName!])));
    places.set(pods, known);
  }
  return known;
}

/** Endpoint objects by the Service they belong to, looked up for every port of it. */
export type EndpointsByService = ReadonlyMap<string, readonly KubernetesEndpoints[]>;

/** kube-proxy watches EndpointSlices or Endpoints, never both; where only the other kind was shown, that one tells the same. */
export function endpointsByService(all: readonly KubernetesEndpoints[], slices: boolean): EndpointsByService {
  const kept = slices ? bySlices : byEndpoints;
  let known = kept.get(all);
  if (known === undefined) {
    known = groupedByService(all, slices);
    kept.set(all, known);
  }
  return known;
}

/** Likewise. */
const bySlices = new WeakMap<readonly KubernetesEndpoints[], EndpointsByService>();
const byEndpoints = new WeakMap<readonly KubernetesEndpoints[], EndpointsByService>();

function groupedByService(all: readonly KubernetesEndpoints[], slices: boolean): EndpointsByService {
  const by = new Map<string, KubernetesEndpoints[]>();
  for (const one of all) {
    if (one.service === undefined || one.family === "FQDN") continue;
    const key = `${one.namespace}/${one.service}`;
    const list = by.get(key);
    if (list === undefined) by.set(key, [one]);
    else list.push(one);
  }
  const preferred = slices ? "EndpointSlice" : "Endpoints";
  for (const [key, list] of by) {
    const chosen = list.filter((e) => e.kind === preferred);
    if (chosen.length > 0 && chosen.length < list.length) by.set(key, chosen);
  }
  return by;
}

const textOf = (address: Address, port: number): string =>
  isIpv4(address) ? `${formatAddress(address)}:${port}` : `[${formatAddress(address)}]:${port}`;

/** Where an address stands twice: up to 1.35 the local one wins, then the one that is not terminating. */
const replaces = (e: ProxyEndpoint, version: KubernetesVersion): boolean =>
  isSince(version, 36) ? !e.terminating : e.isLocal;

function endpointOf(
  e: KubernetesEndpoint,
  address: Address,
  port: number,
  nodeName: string,
  places: Places | undefined,
): ProxyEndpoint {
  const place = e.nodeName ?? places?.get(formatAddress(address));
  return {
    address,
    port,
    text: textOf(address, port),
    isLocal: place !== undefined && place !== "" && place === nodeName,
    ready: e.ready,
    serving: e.serving,
    terminating: e.terminating,
    zoneHints: e.forZones ?? [],
    nodeHints: e.forNodes ?? [],
    ...(place === undefined ? {} : { nodeName: place }),
    ...(e.zone === undefined ? {} : { zone: e.zone }),
    origin: e.origin,
  };
}

const byText = (a: ProxyEndpoint, b: ProxyEndpoint): number => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0);

const only = <T extends { readonly protocol: number }>(ports: readonly T[], protocol: number): boolean =>
  ports.filter((p) => p.protocol === protocol).length === 1;

/** By name and protocol; where rows of `kubectl get` leave names out, by what else can only be meant. */
function serves(
  p: EndpointPort,
  slice: KubernetesEndpoints,
  { service, portName, protocol, port }: ProxyServicePort,
): boolean {
  if (p.protocol !== protocol) return false;
  if (service.form !== "row" && slice.form !== "row") return (p.name ?? "") === portName;
  if (only(service.ports, protocol) && only(slice.ports, protocol)) return true;
  const wanted = service.ports.find((s) => s.port === port && s.protocol === protocol)?.targetPort ?? port;
  return slice.form === "row" || p.name === undefined ? p.port === wanted : p.name === wanted || p.port === wanted;
}

/** Follows EndpointSliceCache.addEndpoints() (pkg/proxy/endpointslicecache.go): by port name and protocol, first address, sorted. */
export function endpointsOf(
  port: ProxyServicePort,
  family: Family,
  by: EndpointsByService,
  nodeName: string,
  version: KubernetesVersion,
  places: Places = new Map(),
): readonly ProxyEndpoint[] {
  const found = new Map<string, ProxyEndpoint>();
  for (const slice of by.get(`${port.service.namespace}/${port.service.name}`) ?? []) {
    if (slice.family !== family) continue;
    for (const p of slice.ports) {
      if (p.port === undefined || p.port === 0 || !serves(p, slice, port)) continue;
      for (const one of slice.endpoints) {
        const [address] = one.addresses;
        if (address === undefined || familyOf(address) !== family) continue;
        const known = slice.form === "row" ? places : undefined;
        const endpoint = endpointOf(one, address, p.port, nodeName, known);
        if (!found.has(endpoint.text) || replaces(endpoint, version)) found.set(endpoint.text, endpoint);
      }
    }
  }
  return [...found.values()].sort(byText);
}
