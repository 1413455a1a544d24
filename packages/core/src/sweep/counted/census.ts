import {
  isOver,
  type KubernetesEndpoints,
  type KubernetesNode,
  type KubernetesObjects,
  type KubernetesPod,
  type KubernetesService,
} from "../../model/index.ts";
import {
  type Address,
  contains,
  familyOf,
  formatAddress,
  isIpv4,
  networkOf,
  type Prefix,
  parsePrefix,
} from "../../net/index.ts";
import { Interned } from "../classes/interned.ts";
import type { Source } from "../flow.ts";
import { Networks } from "./networks.ts";

/** A node, and all that its flows can be told by, but for names. */
export interface Host {
  readonly object: KubernetesNode;
  readonly shape: number;
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

/** Clients that somebody outside is taken for. */
const OUTSIDE = ["203.0.113.0/24", "198.51.100.0/24", "192.0.2.0/24", "2001:db8::/32"].map((t) => parsePrefix(t)!);

/**
 * Everybody that objects tell of, each with a number for all that is said of it but names: what decides over a flow is said of those who
 * take part in it, and of the whole cluster alike. Made only where nothing else can matter (`censusOf`).
 */
export class Census {
  readonly objects: KubernetesObjects;
  readonly hosts: readonly Host[];
  readonly tenants: readonly Tenant[];
  readonly interned = new Interned();
  readonly networks: Networks;
  readonly #hosts = new Map<string, Host>();
  readonly #byAddress = new Map<Address, Host>();
  readonly #tenants = new Map<Address, Tenant>();
  readonly #pods = new Map<Address, KubernetesPod[]>();
  readonly #listed = new Map<Address, KubernetesEndpoints[]>();
  readonly #slices = new Map<string, KubernetesEndpoints[]>();
  readonly #nodesPods = new Map<string, KubernetesPod[]>();
  readonly #labelled = new Map<string, KubernetesPod[]>();

  constructor(objects: KubernetesObjects) {
    this.objects = objects;
    const { nodes, pods, services, endpoints, kubeProxyConfigs, ipPools, flannelNetworks, serviceCidrs } = objects;
    this.networks = new Networks(
      kubeProxyConfigs,
      ipPools,
      flannelNetworks,
      serviceCidrs,
      services.map((s) => s.loadBalancerSourceRanges),
    );
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
    this.hosts = nodes.map((object) => {
      const host: Host = { object, shape: this.interned.of(this.#nodeText(object)), tenants: [] };
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
      externalAddresses = [],
      podCidrs,
      labels = {},
      providerId,
      flannel,
      calico,
      ...rest
    } = node;
    const own = this.podsOn(name);
    const config = this.objects.kubeProxyConfigs.findIndex((c) => c.hostnameOverride === name);
    return [
      without(rest, []),
      addresses.map((a) => this.networks.of(a)).join(" "),
      externalAddresses.map((a) => this.networks.of(a)).join(" "),
      podCidrs.map((c) => `${parsePrefix(c)?.length} ${this.networks.of(parsePrefix(c)!.address)}`).join(" "),
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value === name ? "§" : value}`)
        .sort()
        .join(" "),
      providerId?.split(":")[0],
      without(flannel, ["publicAddress", "vtepMac"]),
      flannel?.publicAddress !== undefined && addresses.includes(flannel.publicAddress),
      flannel?.vtepMac !== undefined,
      calico === undefined ? "" : Object.keys(calico).sort().join(),
      calico?.address?.length,
      config,
      // Those that live in its own namespace, kube-proxy among them, are told of by its signs.
      [...new Set(own.filter((p) => p.hostNetwork).map((p) => `${nameOf(p, name)} ${podText(p)}`))].sort().join(";"),
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
      const where = source.addresses.map((a) => `${this.networks.of(a)}${isIn(host.object, a)}`).join(" ");
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

  /** What objects say of whoever has an address, as of one who is asked. */
  serverText(address: Address, host: Host | undefined): string {
    const served = (this.#listed.get(address) ?? []).flatMap((s) =>
      s.endpoints
        .filter((e) => e.addresses.includes(address))
        .map((e) => `${s.ports.map((p) => `${p.protocol}:${p.port}`).join()} ${e.ready} ${e.serving} ${e.terminating}`),
    );
    return [
      this.networks.of(address),
      host === undefined ? "nowhere" : isIn(host.object, address),
      this.podsAt(address).map(podText).join(";"),
      [...new Set(served)].sort().join(";"),
    ].join("\n");
  }
}

const isIn = ({ podCidrs }: KubernetesNode, address: Address): boolean => podCidrs.some((c) => within(c, address));
const within = (cidr: string, address: Address): boolean => {
  const prefix = parsePrefix(cidr);
  return prefix !== undefined && familyOf(prefix.address) === familyOf(address) && contains(prefix, address);
};

const podText = ({ phase, ready, hostNetwork, ports, form, addresses }: KubernetesPod): string =>
  `${phase} ${ready} ${hostNetwork} ${form} ${addresses.length} ${without(ports, ["name"])}`;

/** Without what was drawn at random, or is the node's. */
const nameOf = ({ name }: KubernetesPod, node: string): string => name.replace(node, "§").replace(/-[a-z0-9]{5}$/, "");

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Undefined: something in these objects may tell flows apart that their own parts do not. */
export function censusOf(objects: KubernetesObjects): Census | undefined {
  return isPlain(objects) ? new Census(objects) : undefined;
}

const HASHED: ReadonlySet<string | undefined> = new Set(["sh", "dh", "mh", "lblc", "lblcr"]);

function isPlain(objects: KubernetesObjects): boolean {
  const { nodes, pods, services, endpoints, networkPolicies, otherDatapaths = [], flannelSubnets } = objects;
  if (networkPolicies.length > 0 || otherDatapaths.length > 0 || flannelSubnets.length > 0) return false;
  if (objects.partialPods === true || objects.noEndpoints === true) return false;
  if (objects.kubeProxyConfigs.some((c) => HASHED.has(c.ipvsScheduler))) return false;
  // Load balancers send to every node.
  if (services.some((s) => s.type === "LoadBalancer") || !services.some((s) => s.form === "object")) return false;
  if (nodes.length === 0 || nodes.some((n) => n.form !== "object" || n.name === "" || n.addresses.length === 0))
    return false;
  if (nodes.some((n) => n.podCidrs.some((c) => parsePrefix(c) === undefined))) return false;
  const macs = nodes.flatMap((n) => n.flannel?.vtepMac ?? []);
  if (new Set(macs).size < macs.length) return false;
  return eachHasItsOwn(nodes, pods, services, endpoints);
}

/** No address is two parties'; nobody's lies in the pods' network of another node. */
function eachHasItsOwn(
  nodes: readonly KubernetesNode[],
  pods: readonly KubernetesPod[],
  services: readonly KubernetesService[],
  endpoints: readonly KubernetesEndpoints[],
): boolean {
  const names = new Set(nodes.map((n) => n.name));
  const home = new Map<Address, string>();
  for (const { name, addresses, externalAddresses = [] } of nodes)
    for (const a of new Set([...addresses, ...externalAddresses])) {
      if (home.has(a)) return false;
      home.set(a, name);
    }
  const cidrs = new PodNetworks(nodes);
  if (cidrs.overlap || [...home.keys()].some((a) => cidrs.of(a) !== undefined)) return false;
  const placed = new Map<Address, string>();
  const place = (address: Address, node: string | undefined): boolean => {
    if (node === undefined) return true;
    const known = placed.get(address);
    if (known !== undefined && known !== node) return false;
    placed.set(address, node);
    if (!names.has(node)) return cidrs.of(address) === undefined;
    const network = cidrs.of(address);
    return network === undefined || network === node;
  };
  const live = new Set<Address>();
  for (const pod of pods) {
    if (pod.hostNetwork) {
      if (pod.addresses.some((a) => home.has(a) && home.get(a) !== pod.nodeName)) return false;
      continue;
    }
    for (const a of pod.addresses) {
      if (home.has(a) || !place(a, pod.nodeName)) return false;
      if (isOver(pod)) continue;
      if (live.has(a)) return false;
      live.add(a);
    }
  }
  for (const { endpoints: list, family } of endpoints)
    for (const { addresses, nodeName, forNodes } of list) {
      if (addresses.length > 1 || (family !== "FQDN" && addresses.length === 0) || forNodes !== undefined) return false;
      for (const a of addresses)
        if (home.has(a) ? nodeName !== undefined && home.get(a) !== nodeName : !place(a, nodeName)) return false;
    }
  const taken = (a: Address): boolean => home.has(a) || placed.has(a) || live.has(a) || cidrs.of(a) !== undefined;
  const virtual = services.flatMap((s) => [
    ...s.clusterIps,
    ...s.externalIps,
    ...s.loadBalancerIps,
    ...(s.proxyLoadBalancerIps ?? []),
  ]);
  const listed = new Set(endpoints.flatMap((s) => s.endpoints.flatMap((e) => e.addresses)));
  if (virtual.some((a) => taken(a) || listed.has(a))) return false;
  const near = new Set(virtual.filter(isIpv4).map((a) => networkOf({ address: a, length: 16 }).address));
  const hosts = [...home.keys(), ...placed.keys(), ...listed];
  if (hosts.some((a) => near.has(networkOf({ address: a, length: 16 }).address))) return false;
  return ![...hosts, ...virtual].some((a) =>
    OUTSIDE.some((p) => familyOf(p.address) === familyOf(a) && contains(p, a)),
  );
}

/** Whose pods' network an address is in. */
class PodNetworks {
  readonly #byLength = new Map<string, Map<Address, string>>();
  readonly #lengths: { readonly family: 4 | 6; readonly length: number }[] = [];
  /** Two nodes have networks that are in one another. */
  readonly overlap: boolean;

  constructor(nodes: readonly KubernetesNode[]) {
    const all: { readonly name: string; readonly prefix: Prefix }[] = [];
    let twice = false;
    for (const { name, podCidrs } of nodes)
      for (const cidr of podCidrs) {
        const prefix = networkOf(parsePrefix(cidr)!);
        const family = familyOf(prefix.address);
        const key = `${family}/${prefix.length}`;
        if (!this.#byLength.has(key)) {
          this.#byLength.set(key, new Map());
          this.#lengths.push({ family, length: prefix.length });
        }
        const known = this.#byLength.get(key)!;
        twice ||= known.has(prefix.address);
        known.set(prefix.address, name);
        all.push({ name, prefix });
      }
    this.overlap = twice || all.some(({ prefix }) => this.#within(prefix.address, prefix.length) !== undefined);
  }

  of(address: Address): string | undefined {
    return this.#within(address, 129);
  }

  #within(address: Address, shorterThan: number): string | undefined {
    const own = familyOf(address);
    for (const { family, length } of this.#lengths) {
      if (family !== own || length >= shorterThan) continue;
      const found = this.#byLength.get(`${family}/${length}`)!.get(networkOf({ address, length }).address);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
