import type {
  KubernetesEndpoints,
  KubernetesObjects,
  KubernetesPod,
  KubernetesService,
  LoadBalancer,
} from "../../model/index.ts";
import { type Address, isIpv4 } from "../../net/index.ts";
import type { Flow } from "../plan.ts";
import type { Balanced } from "./balanced.ts";
import type { Census, Host } from "./census.ts";
import type { Offer } from "./service.ts";

/** What stands for lists that are asked for as such: of pods, whether the namespace's were shown, and those of all namespaces; of endpoints, whether any were. */
export class Witnesses {
  readonly #byNamespace = new Map<string, KubernetesPod[]>();
  readonly #all: readonly KubernetesPod[];
  readonly endpoints: KubernetesEndpoints | undefined;

  constructor({ pods, endpoints }: KubernetesObjects) {
    this.endpoints = endpoints.find((e) => e.origin.kind === "read");
    for (const pod of pods) {
      const known = this.#byNamespace.get(pod.namespace) ?? [];
      this.#byNamespace.set(pod.namespace, known);
      if (known.length < 2) known.push(pod);
    }
    const system = pods.find((p) => p.namespace === "kube-system");
    const other = pods.find((p) => p.namespace !== "kube-system");
    this.#all = [system, other].filter((p) => p !== undefined);
  }

  of(namespace: string | undefined): readonly KubernetesPod[] {
    return [...this.#all, ...((namespace === undefined ? undefined : this.#byNamespace.get(namespace)) ?? [])];
  }
}

/** What a flow can meet, and nothing else. */
export interface Part {
  readonly objects: KubernetesObjects;
  readonly balancers: readonly LoadBalancer[];
}

/**
 * All objects that a flow can meet: those of its ends, of the Service that is asked and of its endpoints, of a load balancer's targets, and
 * the cluster's settings.
 */
export function partOf(
  census: Census,
  witnesses: Witnesses,
  { source, target }: Flow,
  offer: Offer | undefined,
  balanced: Balanced | undefined,
): Part {
  const { objects } = census;
  const hosts = new Set<Host>(offer?.places.keys());
  for (const name of [source.node, target.node]) {
    const host = name === null ? undefined : census.host(name);
    if (host !== undefined) hosts.add(host);
  }
  for (const host of balanced?.hosts ?? []) hosts.add(host);
  const balancers = (offer?.balancers ?? []).map((b) => (b.address === target.address ? (balanced?.balancer ?? b) : b));
  const listed = offer?.slices.flatMap((s) => s.endpoints.flatMap((e) => e.addresses)) ?? [];
  const addresses = new Set<Address>([...listed, ...source.addresses, target.address]);
  // Whose pods' network an address is in, be it another node's than its own.
  for (const address of addresses) {
    const home = census.podNetworks.of(address);
    const host = home === undefined ? undefined : census.host(home);
    if (host !== undefined) hosts.add(host);
  }
  // In IPVS mode any other node has a Service's address as well, though it be this one's.
  const owner = census.publishedAt(target.address).length === 0 ? undefined : census.hostAt(target.address);
  const other = owner === undefined ? undefined : census.hosts.find((h) => h !== owner);
  if (other !== undefined) hosts.add(other);
  const pods = new Set<KubernetesPod>(witnesses.of(offer?.service.namespace));
  for (const address of addresses) for (const pod of census.podsAt(address)) pods.add(pod);
  for (const pod of offer?.selected ?? []) pods.add(pod);
  const services = new Set<KubernetesService>(offer?.together);
  for (const { object } of hosts) {
    const own = census.podsOn(object.name);
    for (const pod of own) if (pod.hostNetwork) pods.add(pod);
    // A node speaks IPv6 where one of its pods does.
    const six = own.find((p) => p.addresses.some((a) => !isIpv4(a)));
    if (six !== undefined) pods.add(six);
    // In IPVS mode every node has the address of a Service for its own, though it be another node's.
    for (const address of object.addresses) for (const s of census.publishedAt(address)) services.add(s);
  }
  const near = census.aroundClusterIp(target.address);
  const isNear = (s: KubernetesService): boolean => s.clusterIps.some((a) => census.aroundClusterIp(a) === near);
  if (near !== undefined && ![...services].some(isNear)) services.add({ ...near, ports: [] });
  const slices = new Set<KubernetesEndpoints>(offer?.slices);
  const others = new Map<KubernetesEndpoints, KubernetesEndpoints>();
  for (const address of addresses)
    for (const slice of census.listed.get(address) ?? []) {
      if (slices.has(slice) || others.has(slice)) continue;
      const kept = slice.endpoints.filter((e) => e.addresses.some((a) => addresses.has(a)));
      others.set(slice, { ...slice, endpoints: kept });
    }
  const { endpoints: shown } = witnesses;
  if (shown !== undefined && !slices.has(shown) && !others.has(shown)) others.set(shown, { ...shown, endpoints: [] });
  const made = new Map([...others].map(([slice, kept]) => [kept, slice] as const));
  if (services.size === 0) services.add(objects.services.find((s) => s.form === "object")!);
  return {
    objects: {
      ...objects,
      nodes: census.inOrder([...hosts].map((h) => h.object)),
      pods: census.inOrder(pods),
      services: census.inOrder(services),
      endpoints: census.inOrder([...slices, ...others.values()], made),
    },
    balancers,
  };
}
