import { datapathsOfNode, inferBalancers, takesBalanced } from "../../assemble/index.ts";
import { ZONE_LABEL } from "../../kubernetes/index.ts";
import {
  isOver,
  type KubernetesEndpoints,
  type KubernetesNode,
  type KubernetesObjects,
  type KubernetesPod,
  type KubernetesService,
  type LoadBalancer,
} from "../../model/index.ts";
import { type Address, formatAddress, isIpv4, networkOf, parsePrefix } from "../../net/index.ts";
import type { Source } from "../flow.ts";
import { Interned } from "../views/interned.ts";
import { Networks } from "./networks.ts";
import { PodNetworks } from "./pod-networks.ts";
import { push } from "./push.ts";

/** A node, and all that its flows can be told by, but for names. */
export interface Host {
  readonly object: KubernetesNode;
  readonly shape: number;
  /** The same, where endpoints are chosen by zones. */
  readonly zoned: number;
  readonly tenants: Tenant[];
}

/** A pod, or an endpoint of which there is nothing but its address. */
export interface Tenant {
  readonly source: Source;
  readonly host: Host;
  /** As one who asks. */
  readonly client: number;
  /** By address: as one who is asked. */
  readonly server: ReadonlyMap<Address, number>;
}

/** One endpoint of a Service, by what it is like. */
export interface Endpoint {
  readonly address: Address;
  readonly host: Host | undefined;
  readonly shape: number;
}

/** Slices by the address that they list. */
type Listed = ReadonlyMap<Address, readonly KubernetesEndpoints[]>;

const without = (value: unknown, left: readonly string[]): string =>
  JSON.stringify(value, (key, v: unknown) => (left.includes(key) || /origins?$/i.test(key) ? undefined : v)) ?? "";

/**
 * Everybody that objects tell of, each with a number for all that is said of it but names: what decides over a flow is said of those who
 * take part in it, and of the whole cluster alike. Made only where nothing else can matter (`isCountable()`).
 */
export class Census {
  readonly objects: KubernetesObjects;
  readonly hosts: readonly Host[];
  readonly tenants: readonly Tenant[];
  readonly interned = new Interned();
  readonly networks: Networks;
  readonly podNetworks: PodNetworks;
  /** Load balancers, by the Service that they were made for. */
  readonly balancers: ReadonlyMap<string, readonly LoadBalancer[]>;
  readonly #hosts = new Map<string, Host>();
  readonly #byAddress = new Map<Address, Host>();
  readonly #tenants = new Map<Address, Tenant>();
  readonly #pods = new Map<Address, KubernetesPod[]>();
  readonly #listed = new Map<Address, KubernetesEndpoints[]>();
  readonly #slices = new Map<string, KubernetesEndpoints[]>();
  readonly #nodesPods = new Map<string, KubernetesPod[]>();
  readonly #labelled = new Map<string, KubernetesPod[]>();
  readonly #targets = new WeakMap<readonly string[], ReadonlySet<string>>();
  readonly #published = new Map<Address, KubernetesService[]>();
  readonly #aroundClusterIps = new Map<Address, KubernetesService>();
  /** Which of its kind each object is. */
  readonly #places = new Map<unknown, number>();

  constructor(objects: KubernetesObjects) {
    this.objects = objects;
    this.podNetworks = new PodNetworks(objects.nodes);
    const { nodes, pods, services, endpoints, kubeProxyConfigs, ipPools, flannelNetworks, serviceCidrs } = objects;
    this.networks = new Networks(
      kubeProxyConfigs,
      ipPools,
      flannelNetworks,
      serviceCidrs,
      services.map((s) => s.loadBalancerSourceRanges),
    );
    for (const list of [nodes, pods, services, endpoints])
      for (const [i, object] of list.entries()) this.#places.set(object, i);
    for (const pod of pods) {
      for (const address of pod.addresses) push(this.#pods, address, pod);
      if (pod.nodeName !== undefined) push(this.#nodesPods, pod.nodeName, pod);
      for (const [key, value] of Object.entries(pod.labels ?? {}))
        push(this.#labelled, `${pod.namespace} ${key}=${value}`, pod);
    }
    for (const slice of endpoints) {
      if (slice.service !== undefined) push(this.#slices, `${slice.namespace}/${slice.service}`, slice);
      for (const { addresses } of slice.endpoints) for (const a of addresses) push(this.#listed, a, slice);
    }
    for (const service of services) {
      for (const address of virtualOf(service)) push(this.#published, address, service);
      for (const address of service.clusterIps)
        if (isIpv4(address) && !this.#aroundClusterIps.has(around(address)))
          this.#aroundClusterIps.set(around(address), service);
    }
    const balancers = new Map<string, LoadBalancer[]>();
    for (const balancer of inferBalancers(objects, [], [])) push(balancers, balancer.service!, balancer);
    this.balancers = balancers;
    this.hosts = nodes.map((object) => {
      const text = this.#nodeText(object);
      const zone = object.labels?.[ZONE_LABEL] ?? "";
      const [shape, zoned] = [this.interned.of(text), this.interned.of(`${text}\n${zone}`)];
      const host: Host = { object, shape, zoned, tenants: [] };
      this.#hosts.set(object.name, host);
      for (const address of object.addresses) this.#byAddress.set(address, host);
      return host;
    });
    this.tenants = this.#allTenants();
    for (const tenant of this.tenants) {
      tenant.host.tenants.push(tenant);
      for (const address of tenant.source.addresses) this.#tenants.set(address, tenant);
    }
  }

  host = (name: string): Host | undefined => this.#hosts.get(name);
  hostAt = (address: Address): Host | undefined => this.#byAddress.get(address);
  tenantAt = (address: Address): Tenant | undefined => this.#tenants.get(address);
  podsAt = (address: Address): readonly KubernetesPod[] => this.#pods.get(address) ?? [];
  podsOn = (node: string): readonly KubernetesPod[] => this.#nodesPods.get(node) ?? [];
  slicesOf = ({ namespace, name }: KubernetesService): readonly KubernetesEndpoints[] =>
    this.#slices.get(`${namespace}/${name}`) ?? [];
  get listed(): Listed {
    return this.#listed;
  }

  /** As they stand in their list: of several the first is quoted. `of`: one that was made of it. */
  inOrder<T>(some: Iterable<T>, of: ReadonlyMap<T, T> = new Map()): readonly T[] {
    const place = (one: T): number => this.#places.get(of.get(one) ?? one) ?? this.#places.size;
    return [...some].sort((a, b) => place(a) - place(b));
  }

  /** Nodes that a load balancer sends to. Most send to all: one list. */
  targetsOf({ targets }: LoadBalancer): ReadonlySet<string> {
    const known = this.#targets.get(targets) ?? new Set(targets);
    this.#targets.set(targets, known);
    return known;
  }

  /** Services that have an address for their own: of a node's, too. */
  publishedAt = (address: Address): readonly KubernetesService[] => this.#published.get(address) ?? [];
  /** A Service whose cluster address is one of those around an address: Services are numbered together (`isNearServices()`). */
  aroundClusterIp = (address: Address): KubernetesService | undefined =>
    isIpv4(address) ? this.#aroundClusterIps.get(around(address)) : undefined;

  /** Pods that a Service's selector means. */
  selectedBy({ namespace, selector = {} }: KubernetesService): readonly KubernetesPod[] {
    const wanted = Object.entries(selector);
    const [first] = wanted;
    if (first === undefined) return [];
    const some = this.#labelled.get(`${namespace} ${first[0]}=${first[1]}`) ?? [];
    return some.filter((p) => wanted.every(([key, value]) => p.labels?.[key] === value));
  }

  #nodeText(node: KubernetesNode): string {
    const {
      name,
      addresses,
      externalAddresses: _,
      podCidrs,
      labels: __,
      providerId: ___,
      ready: ____,
      flannel,
      calico,
      ...rest
    } = node;
    const own = this.podsOn(name);
    const config = this.objects.kubeProxyConfigs.findIndex((c) => c.hostnameOverride === name);
    return [
      without(rest, []),
      takesBalanced(node),
      addresses.map((a) => this.networks.of(a)).join(" "),
      addresses.map((a) => this.publishedAt(a).map((s) => `${s.type} ${s.proxyName}`)).join("; "),
      podCidrs.map((c) => `${parsePrefix(c)?.length} ${this.networks.of(parsePrefix(c)!.address)}`).join(" "),
      without(flannel, ["publicAddress", "vtepMac"]),
      flannel?.publicAddress !== undefined && addresses.includes(flannel.publicAddress),
      flannel?.vtepMac !== undefined,
      calico === undefined ? "" : Object.keys(calico).sort().join(),
      calico?.address?.length,
      config,
      without(datapathsOfNode(this.objects, name), []),
      // Of those that live in its own namespace: what they serve at its addresses.
      [...new Set(own.filter((p) => p.hostNetwork).map(podText))].sort().join(";"),
      own.some((p) => p.addresses.some((a) => !isIpv4(a))),
    ].join("\n");
  }

  /** As `sourcesOf()` finds them in the World that these objects make: pods, then endpoints that no pod is known of. */
  #allTenants(): readonly Tenant[] {
    const found: Tenant[] = [];
    const seen = new Set<Address>();
    const add = (source: Source, client: string): void => {
      const host = source.node === null ? undefined : this.#hosts.get(source.node);
      if (host === undefined || source.addresses.length === 0 || source.addresses.some((a) => seen.has(a))) return;
      for (const a of source.addresses) seen.add(a);
      const where = source.addresses.map((a) => `${this.networks.of(a)} ${this.#homeOf(a, host)}`).join(" ");
      const server = new Map(source.addresses.map((a) => [a, this.interned.of(this.serverText(a, host))] as const));
      found.push({ source, host, client: this.interned.of(`${client}\n${where}`), server });
    };
    for (const pod of this.objects.pods) {
      const { namespace, name, nodeName: node, addresses } = pod;
      if (pod.hostNetwork || isOver(pod) || node === undefined) continue;
      const source: Source = {
        kind: "pod",
        from: `pod/${namespace}/${name}`,
        node,
        namespace,
        arrives: false,
        addresses,
      };
      add(source, `${pod.phase} ${pod.form}`);
    }
    for (const { namespace, endpoints, family } of this.objects.endpoints)
      for (const { addresses, nodeName } of endpoints) {
        const [first] = addresses;
        if (first === undefined || family === "FQDN" || nodeName === undefined || this.hostAt(first) !== undefined)
          continue;
        const from = formatAddress(first);
        add({ kind: "pod", from, node: nodeName, namespace, arrives: false, addresses: [first] }, "endpoint");
      }
    return found;
  }

  /** Whether the pods' network that an address is in is its own node's. Calico numbers pods without a look at the networks of nodes. */
  #homeOf(address: Address, host: Host | undefined): string {
    const home = this.podNetworks.of(address);
    return home === undefined ? "none" : home === host?.object.name ? "own" : "another's";
  }

  /** What objects say of whoever has an address, as of one who is asked. */
  serverText(address: Address, host: Host | undefined): string {
    const served = (this.#listed.get(address) ?? []).flatMap((s) =>
      s.endpoints
        .filter((e) => e.addresses.includes(address))
        .map((e) => `${s.ports.map((p) => `${p.protocol}:${p.port}`).join()} ${e.ready} ${e.serving} ${e.terminating}`),
    );
    return [
      this.networks.of(address),
      host === undefined ? "nowhere" : "",
      this.#homeOf(address, host),
      this.podsAt(address).map(podText).join(";"),
      [...new Set(served)].sort().join(";"),
    ].join("\n");
  }
}

const podText = ({ phase, ready, hostNetwork, ports, form, addresses }: KubernetesPod): string =>
  `${phase} ${ready} ${hostNetwork} ${form} ${addresses.length} ${without(ports, ["name"])}`;

/** Addresses that a Service has for its own. */
export const virtualOf = (s: KubernetesService): readonly Address[] => [
  ...s.clusterIps,
  ...s.externalIps,
  ...s.loadBalancerIps,
  ...(s.proxyLoadBalancerIps ?? []),
];

const around = (address: Address): Address => networkOf({ address, length: 16 }).address;
