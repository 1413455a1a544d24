import type {
  KubernetesEndpoint,
  KubernetesEndpoints,
  KubernetesPod,
  KubernetesService,
  LoadBalancer,
} from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import type { Via } from "../flow.ts";
import { type Census, type Host, virtualOf } from "./census.ts";
import { push } from "./push.ts";

/** A Service with those whom its flows can meet wherever they come from. */
export interface Offer {
  readonly service: KubernetesService;
  /** Those that have an address or a node port in common with it, itself among them. */
  readonly together: readonly KubernetesService[];
  readonly slices: readonly KubernetesEndpoints[];
  /** Pods that their selectors mean and that no slice lists. */
  readonly selected: readonly KubernetesPod[];
  readonly endpoints: ReadonlySet<Address>;
  /** Load balancers of them all. */
  readonly balancers: readonly LoadBalancer[];
  /** Which endpoints a node sends to may depend on its zone. */
  readonly zoned: boolean;
  /** Nodes that host endpoints, and what is said of them there: with the same said of two, they can change places. */
  readonly places: ReadonlyMap<Host, number>;
  /** Endpoints of each of them, and those that stand on no node, each list in the order of what is said of them. */
  readonly entries: ReadonlyMap<Host, readonly Entry[]>;
  readonly nowhere: readonly Entry[];
  /** The number of all that is said of it but names. */
  readonly shape: number;
}

/** An endpoint by one of its addresses. */
export interface Entry {
  readonly text: string;
  readonly address: Address;
  readonly endpoint: KubernetesEndpoint;
}

/** One address and port of a Service; of node ports, on whichever node. */
export interface Way {
  readonly via: Via;
  readonly address: Address | undefined;
  readonly port: number;
  readonly servicePort: number | null;
  readonly protocol: number;
  /** Which of all ways of the Service. */
  readonly number: number;
}

/** In the order of `targetsOf()`. `balanced`: addresses of its load balancers. */
export function waysOf(service: KubernetesService, balanced: readonly Address[]): readonly Way[] {
  if (service.type === "ExternalName") return [];
  const found: Way[] = [];
  const lists: readonly (readonly [Via, readonly Address[]])[] = [
    ["clusterip", service.clusterIps],
    ["external", service.externalIps],
    ["loadbalancer", [...service.loadBalancerIps, ...(service.proxyLoadBalancerIps ?? []), ...balanced]],
  ];
  const add = (way: Omit<Way, "number">): void => {
    found.push({ ...way, number: found.length });
  };
  for (const { port, protocol, nodePort } of service.ports) {
    for (const [via, addresses] of lists)
      for (const address of addresses) add({ via, address, port, servicePort: null, protocol });
    if (nodePort !== undefined)
      add({ via: "nodeport", address: undefined, port: nodePort, servicePort: port, protocol });
  }
  return found;
}

/** Services that are called by their names. */
const KNOWN: ReadonlySet<string> = new Set(["default/kubernetes", "kube-system/kube-dns"]);

/** All Services, each with what it is like. */
export class Offers {
  readonly #census: Census;
  readonly #together: ReadonlyMap<KubernetesService, readonly KubernetesService[]>;

  constructor(census: Census) {
    this.#census = census;
    this.#together = togetherIn(census.objects.services);
  }

  of(service: KubernetesService): Offer {
    const census = this.#census;
    const together = this.#together.get(service) ?? [service];
    const slices = together.flatMap((s) => census.slicesOf(s));
    const listed = new Set(slices.flatMap((s) => s.endpoints.flatMap((e) => e.addresses)));
    const selected = [...new Set(together.flatMap((s) => census.selectedBy(s)))].filter(
      (p) => !p.addresses.some((a) => listed.has(a)),
    );
    const own = new Set(census.slicesOf(service).flatMap((s) => s.endpoints.flatMap((e) => e.addresses)));
    const balancers = together.flatMap((s) => census.balancers.get(`${s.namespace}/${s.name}`) ?? []);
    const zoned = slices.some((s) => s.endpoints.some((e) => (e.forZones ?? []).length > 0));
    const told = new Map<Host, string[]>();
    const tell = (host: Host, text: string): void => {
      if (told.has(host)) told.get(host)!.push(text);
      else told.set(host, [text]);
    };
    const entries = new Map<Host, Entry[]>();
    const nowhere: Entry[] = [];
    // A node whose own address is a Service's.
    for (const [i, address] of together.flatMap(virtualOf).entries()) {
      const host = census.hostAt(address);
      if (host !== undefined) tell(host, `has ${i} ${host.object.addresses.indexOf(address)}`);
    }
    together.forEach((one, i) => {
      census.slicesOf(one).forEach((slice, j) => {
        for (const e of slice.endpoints)
          for (const address of e.addresses) {
            const host = this.#hostOf(address, e.nodeName);
            const { addresses: _, nodeName, pod, origin: __, zone: ___, forNodes = [], ...rest } = e;
            const text = [
              // Slices of one Service with the same ports are one to kube-proxy.
              `${i} ${JSON.stringify([slice.kind, slice.family, slice.ports, slice.form, slice.cut])}`,
              JSON.stringify(rest),
              forNodes.length,
              nodeName === undefined ? "-" : host === undefined ? "unknown" : "here",
              pod !== undefined,
              census.hostAt(address)?.object.addresses.indexOf(address),
              census.serverText(address, host),
              // An address that is listed twice.
              slices.filter((s) => s.endpoints.some((x) => x.addresses.includes(address))).length,
              j,
            ].join("\n");
            const entry: Entry = { text, address, endpoint: e };
            if (host === undefined) nowhere.push(entry);
            else {
              tell(host, text);
              push(entries, host, entry);
            }
          }
      });
    });
    const places = new Map(
      [...told].map(
        ([host, list]) =>
          [host, census.interned.of(`${zoned ? host.zoned : host.shape}\n${list.sort().join("\n\n")}`)] as const,
      ),
    );
    for (const list of [...entries.values(), nowhere]) list.sort(byText);
    const shape = census.interned.of(
      [
        together.indexOf(service),
        ...together.map((s) => this.#text(s, together)),
        together.map((s) =>
          census
            .slicesOf(s)
            .map((x) => JSON.stringify([x.kind, x.family, x.ports, x.form, x.cut, x.endpoints.length === 0])),
        ),
        selected.map((p) => `${p.phase} ${p.ready} ${p.hostNetwork} ${p.form} ${p.addresses.length}`).sort(),
        [...places.values()].sort((a, b) => a - b),
        nowhere.map((e) => e.text),
        balancers.map((b) => this.#balancerText(b, together)),
        isListed(census, service),
        KNOWN.has(`${service.namespace}/${service.name}`) ? service.name : "",
      ].join("\n"),
    );
    return { service, together, slices, selected, endpoints: own, balancers, zoned, places, entries, nowhere, shape };
  }

  #hostOf(address: Address, nodeName: string | undefined): Host | undefined {
    const census = this.#census;
    return (
      census.hostAt(address) ??
      census.tenantAt(address)?.host ??
      (nodeName === undefined ? undefined : census.host(nodeName))
    );
  }

  /** A Service without its name; its addresses by the networks they are in and by which others have them. */
  #text(service: KubernetesService, together: readonly KubernetesService[]): string {
    const {
      name: _,
      namespace: __,
      annotations: ___,
      fieldOrigins: ____,
      origin: _____,
      selector,
      ports,
      loadBalancerHostnames = [],
      ...rest
    } = service;
    const numbered = this.#numbered(together);
    return JSON.stringify([
      selector === undefined ? null : Object.keys(selector).length,
      ports.map((p) => ({ ...p, ...(p.nodePort !== undefined && { nodePort: nodePortKind(p.nodePort, together) }) })),
      {
        ...rest,
        clusterIps: rest.clusterIps.map(numbered),
        externalIps: rest.externalIps.map(numbered),
        loadBalancerIps: rest.loadBalancerIps.map(numbered),
        proxyLoadBalancerIps: rest.proxyLoadBalancerIps?.map(numbered),
        healthCheckNodePort: rest.healthCheckNodePort !== undefined,
        loadBalancerHostnames: loadBalancerHostnames.length,
      },
    ]);
  }

  /** Addresses by which of all that these Services have they are, and by the networks that they are in. */
  #numbered(together: readonly KubernetesService[]): (address: Address) => string {
    const census = this.#census;
    const addresses = together.flatMap(virtualOf);
    return (a) => `${addresses.indexOf(a)} ${census.networks.of(a)} ${census.aroundClusterIp(a) !== undefined}`;
  }

  /** A load balancer without its names. Which nodes it sends to follows from theirs and from the endpoints' texts. */
  #balancerText(balancer: LoadBalancer, together: readonly KubernetesService[]): string {
    const { address, ports, targets, pods, service, hostname, inferred, origin: _, ...rest } = balancer;
    return JSON.stringify([
      this.#numbered(together)(address),
      ports.map((p) => ({ ...p, targetPort: nodePortKind(p.targetPort, together) })),
      targets.length === 0,
      pods?.map((p) => [p.port, p.protocol, p.targetPort]),
      together.findIndex((s) => `${s.namespace}/${s.name}` === service),
      hostname !== undefined,
      inferred?.provider,
      rest,
    ]);
  }
}

const byText = (a: Entry, b: Entry): number => (a.text === b.text ? 0 : a.text < b.text ? -1 : 1);

/** One of the usual range is as good as another. */
const nodePortKind = (port: number, together: readonly KubernetesService[]): unknown =>
  port >= 30_000 && port <= 32_767
    ? ["usual", together.flatMap((s) => s.ports.map((p) => p.nodePort)).indexOf(port)]
    : port;

/** Whether pods of its namespace, and of the system beside others, were listed: what is missing among them is not there. */
function isListed({ objects: { pods } }: Census, { namespace, selector }: KubernetesService): string {
  if (selector === undefined) return "";
  const known = listedPods.get(pods);
  const counts = known ?? countByNamespace(pods);
  if (known === undefined) listedPods.set(pods, counts);
  return `${(counts.get(namespace) ?? 0) > 1}`;
}

const listedPods = new WeakMap<readonly KubernetesPod[], ReadonlyMap<string, number>>();

function countByNamespace(pods: readonly KubernetesPod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { namespace } of pods) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  return counts;
}

/** Services that share an address or a node port meet in the rules. */
function togetherIn(
  services: readonly KubernetesService[],
): ReadonlyMap<KubernetesService, readonly KubernetesService[]> {
  const by = new Map<string, KubernetesService[]>();
  for (const service of services) {
    const keys = new Set([
      ...virtualOf(service).map((a) => formatAddress(a)),
      ...service.ports.flatMap((p) => (p.nodePort === undefined ? [] : [`port ${p.nodePort}`])),
      ...(service.healthCheckNodePort === undefined ? [] : [`port ${service.healthCheckNodePort}`]),
    ]);
    for (const key of keys) {
      const known = by.get(key);
      if (known === undefined) by.set(key, [service]);
      else known.push(service);
    }
  }
  const parent = new Map<KubernetesService, KubernetesService>();
  const root = (s: KubernetesService): KubernetesService => {
    let at = s;
    while (parent.has(at)) at = parent.get(at)!;
    return at;
  };
  for (const list of by.values())
    for (const other of list.slice(1)) {
      const [a, b] = [root(list[0]!), root(other)];
      if (a !== b) parent.set(b, a);
    }
  const sets = new Map<KubernetesService, KubernetesService[]>();
  for (const service of services) {
    const at = root(service);
    const known = sets.get(at);
    if (known === undefined) sets.set(at, [service]);
    else known.push(service);
  }
  return new Map([...sets.values()].filter((l) => l.length > 1).flatMap((l) => l.map((s) => [s, l] as const)));
}
