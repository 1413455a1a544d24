import { isOver, type KubernetesService } from "../../model/index.ts";
import { type Address, type Family, familyOf, PROTO } from "../../net/index.ts";
import type { SourceKind, Target } from "../flow.ts";
import { isWantedTarget, kindsAsking } from "../plan.ts";
import { KUBELET_PORT, kindOfService } from "../targets.ts";
import type { Census, Host, Tenant } from "./census.ts";
import { type Counted, pairsOf } from "./pairs.ts";
import type { Place, Places, SourceClass, TargetClass } from "./places.ts";
import { podPairs } from "./pod-pairs.ts";
import { push } from "./push.ts";
import { type Offer, Offers, type Way, waysOf } from "./service.ts";
import { throughBalancer } from "./through-balancer.ts";

/** Flows of one kind of source to one thing, counted. */
export interface CountedGroup {
  readonly number: number;
  /** What is asked, but for names: with the key of flows, all that they are told by. */
  readonly key: string;
  readonly offer: Offer | undefined;
  readonly flows: () => Generator<Counted>;
}

const NOBODY: ReadonlySet<Address> = new Set();

/** In the order of `planOf()`. */
export class Groups {
  readonly #census: Census;
  readonly #places: Places;
  readonly #offers: Offers;
  readonly #families: readonly Family[];
  #number = 0;

  constructor(census: Census, places: Places) {
    this.#census = census;
    this.#places = places;
    this.#offers = new Offers(census);
    this.#families = [...new Set(census.hosts.flatMap((h) => h.object.addresses.map(familyOf)))];
  }

  *all(): Generator<CountedGroup> {
    this.#number = 0;
    const taken = new Set<string>();
    for (const service of this.#census.objects.services) yield* this.#ofService(service, taken);
    yield* this.#ofPods();
    yield* this.#ofKubelets();
  }

  *#ofService(service: KubernetesService, taken: Set<string>): Generator<CountedGroup> {
    const groups = new Map<string, { readonly family: Family; readonly ways: Way[] }>();
    const balancers = this.#census.balancers.get(`${service.namespace}/${service.name}`) ?? [];
    for (const way of waysOf(
      service,
      balancers.map((b) => b.address),
    )) {
      const key = `${way.address === undefined ? "node" : String(way.address)} ${way.port} ${way.protocol}`;
      if (taken.has(key)) continue;
      taken.add(key);
      for (const family of way.address === undefined ? this.#families : [familyOf(way.address)]) {
        const id = `${way.via} ${way.port} ${way.protocol} ${family}`;
        const known = groups.get(id);
        if (known === undefined) groups.set(id, { family, ways: [way] });
        else known.ways.push(way);
      }
    }
    if (groups.size === 0) return;
    const offer = this.#offers.of(service);
    const places = this.#places.of(offer);
    const balanced = new Set(offer.balancers.map((b) => b.address));
    for (const { family, ways } of groups.values()) {
      const askers = new Map<SourceKind, Way[]>();
      for (const way of ways) {
        const kind = kindOfService(service, way.servicePort ?? way.port);
        for (const asking of kindsAsking(
          { kind, via: way.via },
          way.address !== undefined && balanced.has(way.address),
        ))
          push(askers, asking, way);
      }
      for (const [asking, asked] of askers) {
        const targets = (): readonly TargetClass[] =>
          asked.flatMap((way) => this.#targets(service, offer, way, family, places));
        const flows = (): Generator<Counted> =>
          asking === "loadbalancer"
            ? throughBalancer(this.#places, targets())
            : pairsOf(this.#places, this.#sources(asking, places, offer), targets());
        yield { number: this.#number++, key: `service ${offer.shape}`, offer, flows };
      }
    }
  }

  #sources(kind: SourceKind, places: readonly Place[], offer: Offer | undefined): readonly SourceClass[] {
    if (kind === "node" || kind === "external") return this.#places.nodes(places, kind);
    if (kind === "pod") return this.#places.pods(places, offer);
    return kind === "endpoint" && offer !== undefined ? this.#places.endpoints(places, offer) : [];
  }

  #targets(
    service: KubernetesService,
    offer: Offer,
    way: Way,
    family: Family,
    places: readonly Place[],
  ): readonly TargetClass[] {
    const { namespace } = service;
    const { via, port, servicePort, protocol } = way;
    const name = `${namespace}/${service.name}`;
    const kind = kindOfService(service, servicePort ?? port);
    const base = { kind, name, namespace, via, port, servicePort, protocol, family, endpoints: offer.endpoints };
    const isNamespace = this.#places.isNamespace(namespace);
    if (way.address !== undefined) {
      const target: Target = { ...base, address: way.address, node: null };
      const asked: TargetClass = {
        token: `${way.number}`,
        place: undefined,
        at: () => target,
        node: false,
        namespace: isNamespace,
      };
      return this.#isWanted(target) ? [asked] : [];
    }
    return this.#onNodes(
      places,
      family,
      `${way.number}/${family}`,
      isNamespace,
      (host, address): Target => ({
        ...base,
        address,
        node: host.object.name,
      }),
    );
  }

  /** Each address of each node, by place. */
  #onNodes(
    places: readonly Place[],
    family: Family,
    token: string,
    namespace: boolean,
    target: (host: Host, address: Address) => Target,
  ): readonly TargetClass[] {
    return places.flatMap((place) => {
      const [first] = place.hosts();
      const own = (host: Host): readonly Address[] => host.object.addresses.filter((a) => familyOf(a) === family);
      return own(first!).flatMap((address, i): TargetClass[] => {
        if (!this.#isWanted(target(first!, address))) return [];
        const at = (host: Host | undefined): Target => target(host!, own(host!)[i]!);
        return [{ token: `${token}@${i}`, place, at, node: this.#places.isNode(first!.object.name), namespace }];
      });
    });
  }

  #isWanted(target: Target): boolean {
    return isWantedTarget(target, this.#places.wanted);
  }

  *#ofPods(): Generator<CountedGroup> {
    const ports = portsOf(this.#census);
    const groups = new Map<string, Map<Tenant, Target[]>>();
    for (const tenant of this.#census.tenants) {
      const { from, node, namespace, addresses } = tenant.source;
      const name = from.startsWith("pod/") ? from.slice(4) : from;
      for (const address of addresses)
        for (const { port, protocol } of ports.get(address) ?? []) {
          const family = familyOf(address);
          const base = { kind: "pod", name, namespace, via: null, servicePort: null, endpoints: NOBODY } as const;
          const target: Target = { ...base, address, port, protocol, family, node };
          const key = `${port} ${protocol} ${family}`;
          const known = groups.get(key) ?? new Map<Tenant, Target[]>();
          groups.set(key, known);
          const own = known.get(tenant);
          if (own === undefined) known.set(tenant, [target]);
          else own.push(target);
        }
    }
    const places = this.#places.of(undefined);
    for (const [key, targets] of groups) {
      const wanted = new Map([...targets].map(([t, list]) => [t, list.filter((x) => this.#isWanted(x))] as const));
      for (const asking of ["node", "pod"] as const) {
        const flows = (): Generator<Counted> =>
          podPairs(this.#places, places, this.#sources(asking, places, undefined), wanted);
        yield { number: this.#number++, key: `pod ${key}`, offer: undefined, flows };
      }
    }
  }

  *#ofKubelets(): Generator<CountedGroup> {
    const places = this.#places.of(undefined);
    for (const family of this.#families) {
      const base = { kind: "kubelet", namespace: null, via: null, port: KUBELET_PORT, servicePort: null } as const;
      const targets = (): readonly TargetClass[] =>
        this.#onNodes(places, family, "kubelet", false, (host, address): Target => {
          const { name } = host.object;
          return { ...base, protocol: PROTO.tcp, endpoints: NOBODY, family, name, node: name, address };
        });
      for (const asking of ["node", "pod"] as const) {
        const sources = (): readonly SourceClass[] => this.#sources(asking, places, undefined);
        const flows = (): Generator<Counted> =>
          pairsOf(this.#places, sources(), targets(), (s, t) => !s.addresses.includes(t.address));
        yield { number: this.#number++, key: `kubelet ${family}`, offer: undefined, flows };
      }
    }
  }
}

/** The ports that objects tell of, by address. */
function portsOf({
  objects,
}: Census): ReadonlyMap<Address, readonly { readonly port: number; readonly protocol: number }[]> {
  const ports = new Map<Address, { readonly port: number; readonly protocol: number }[]>();
  const note = (address: Address, port: number | undefined, protocol: number): void => {
    if (port === undefined || port === 0) return;
    const known = ports.get(address) ?? [];
    ports.set(address, known);
    if (!known.some((k) => k.port === port && k.protocol === protocol)) known.push({ port, protocol });
  };
  for (const pod of objects.pods)
    if (!pod.hostNetwork && !isOver(pod))
      for (const address of pod.addresses) for (const p of pod.ports ?? []) note(address, p.port, p.protocol);
  for (const slice of objects.endpoints)
    for (const { addresses, ready } of slice.endpoints)
      for (const address of ready ? addresses : []) for (const p of slice.ports) note(address, p.port, p.protocol);
  return ports;
}
