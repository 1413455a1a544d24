import { familyOf, formatEndpoint } from "../../net/index.ts";
import type { Source, SourceKind, Target } from "../flow.ts";
import { matchesGlob } from "../glob.ts";
import { isSource, type Wanted } from "../plan.ts";
import type { Census, Host, Tenant } from "./census.ts";
import type { Offer } from "./service.ts";

/** Which of what is asked for a source or a target has. */
export interface Marks {
  readonly from: boolean;
  readonly node: boolean;
  readonly namespace: boolean;
}

/** Nodes that are the same to a flow, and among which it makes no matter which. */
export interface Place {
  /** What flows that meet it are told by. */
  readonly token: string;
  /** Of all places beside one another. */
  readonly id: string;
  readonly size: number;
  readonly hosts: () => Iterable<Host>;
  readonly has: (host: Host) => boolean;
  /** Its own nodes have names of their own to count by: they host endpoints. */
  readonly singled: boolean;
}

/** Sources that are the same to a flow. */
export interface SourceClass extends Marks {
  readonly kind: SourceKind;
  readonly token: string;
  readonly place: Place;
  readonly count: number;
  readonly on: (host: Host) => readonly Source[];
}

/** Targets that are the same to a flow: an address on each node of a place, or one of nobody's. */
export interface TargetClass extends Omit<Marks, "from"> {
  readonly token: string;
  readonly place: Place | undefined;
  readonly at: (host: Host | undefined) => Target;
}

/** Nodes of one shape with the same kinds of pods. */
interface Kind {
  readonly token: string;
  readonly id: string;
  readonly hosts: Host[];
  readonly counts: Map<string, number>;
}

/** All nodes by what they are to flows that they host no endpoints of. */
interface Kinds {
  readonly byId: Map<string, Kind>;
  readonly of: Map<Host, Kind>;
}

const noKinds = (): Kinds => ({ byId: new Map(), of: new Map() });

const wants = (words: readonly string[] | undefined): words is readonly string[] =>
  words !== undefined && words.length > 0;

/** All nodes of a census, and what is asked for. */
export class Places {
  readonly wanted: Wanted;
  readonly #kinds = noKinds();
  /** Where endpoints are chosen by zones. */
  readonly #zoned = noKinds();
  readonly #byClient = new Map<Host, ReadonlyMap<string, readonly Tenant[]>>();
  readonly #clients = new Map<string, Tenant>();

  constructor(census: Census, wanted: Wanted) {
    this.wanted = wanted;
    for (const host of census.hosts) {
      const clients = this.#clientsOf(host);
      this.#byClient.set(host, clients);
      const id = `${this.#marksOf(host)} ${[...clients.keys()].sort().join()}`;
      place(this.#kinds, host, host.shape, id, clients);
      place(this.#zoned, host, host.zoned, id, clients);
    }
  }

  #kindsFor = (offer: Offer | undefined): Kinds => (offer?.zoned === true ? this.#zoned : this.#kinds);

  #marksOf(host: Host): string {
    const { from, node } = this.wanted;
    const asks = (kind: SourceKind): boolean => !wants(from) || from.some((w) => isSource(w, nodeSource(host, kind)));
    return `${asks("node")} ${asks("external")} ${wants(node) ? this.isNode(host.object.name) : ""} ${this.#namesOf(host)}`;
  }

  /** Which words for targets mean this very node, or one of its addresses. */
  #namesOf({ object: { name, addresses } }: Host): string {
    const words = (this.wanted.to ?? []).filter((w) => /[:/*?]/.test(w));
    return words
      .map((word) => {
        const [, stem = word] = /^(.*):\d+$/.exec(word) ?? [];
        return [`node/${name}`, ...addresses.map((a) => formatEndpoint(a, ""))].map((n) =>
          matchesGlob(stem, n.replace(/:$/, "")) ? 1 : 0,
        );
      })
      .join();
  }

  #clientsOf(host: Host): ReadonlyMap<string, readonly Tenant[]> {
    const found = new Map<string, Tenant[]>();
    for (const tenant of host.tenants) {
      const { source, client } = tenant;
      const token = `${client} ${this.isFrom(source)} ${wants(this.wanted.namespace) ? this.isNamespace(source.namespace) : ""}`;
      this.#clients.set(token, tenant);
      const known = found.get(token);
      if (known === undefined) found.set(token, [tenant]);
      else known.push(tenant);
    }
    return found;
  }

  isNode = (name: string | null): boolean =>
    name !== null && (this.wanted.node ?? []).some((n) => matchesGlob(n, name));
  isNamespace = (name: string | null): boolean =>
    name !== null && (this.wanted.namespace ?? []).some((n) => matchesGlob(n, name));
  isFrom = (source: Source): boolean => !wants(this.wanted.from) || this.wanted.from.some((w) => isSource(w, source));

  /** Whether flows between these two are asked for. */
  wants(source: Marks, target: Omit<Marks, "from">): boolean {
    if (!source.from) return false;
    if (wants(this.wanted.node) && !source.node && !target.node) return false;
    return !wants(this.wanted.namespace) || source.namespace || target.namespace;
  }

  /** The places of flows to a Service: nodes that host its endpoints by what they host, the others by what they are. */
  of(offer: Offer | undefined): readonly Place[] {
    const own = offer?.places ?? new Map<Host, number>();
    const kinds = this.#kindsFor(offer);
    const singled = new Map<string, { readonly token: string; readonly hosts: Host[] }>();
    const fewer = new Map<Kind, number>();
    for (const [host, signature] of own) {
      const kind = kinds.of.get(host)!;
      fewer.set(kind, (fewer.get(kind) ?? 0) + 1);
      const id = `${signature} ${this.#marksOf(host)}`;
      const known = singled.get(id);
      if (known === undefined) singled.set(id, { token: `i${signature}`, hosts: [host] });
      else known.hosts.push(host);
    }
    return [
      ...[...singled].map(([id, { token, hosts }]): Place => {
        const has = (host: Host): boolean => hosts.includes(host);
        return { token, id, size: hosts.length, hosts: () => hosts, has, singled: true };
      }),
      ...[...kinds.byId.values()].flatMap((kind): Place[] => {
        const size = kind.hosts.length - (fewer.get(kind) ?? 0);
        if (size === 0) return [];
        const has = (host: Host): boolean => kinds.of.get(host) === kind && !own.has(host);
        return [{ token: kind.token, id: kind.id, size, hosts: () => others(kind.hosts, own), has, singled: false }];
      }),
    ];
  }

  /** Nodes, and somebody outside through each. */
  nodes(places: readonly Place[], kind: "node" | "external"): readonly SourceClass[] {
    return places.map((place) => {
      const [first] = place.hosts();
      const source = nodeSource(first!, kind);
      return {
        kind,
        token: kind,
        place,
        count: place.size,
        on: (host) => [nodeSource(host, kind)],
        from: this.isFrom(source),
        node: this.isNode(source.node),
        namespace: false,
      };
    });
  }

  /** Pods that are no endpoints of the Service. */
  pods(places: readonly Place[], offer: Offer | undefined): readonly SourceClass[] {
    return places.flatMap((place) => {
      const counts = place.singled ? this.#counted(place, offer) : this.#left(place, offer);
      return [...counts].flatMap(([client, count]): SourceClass[] => {
        const { source } = this.#clients.get(client)!;
        const [first] = place.hosts();
        const on = (host: Host): readonly Source[] =>
          (this.#byClient.get(host)!.get(client) ?? []).filter((t) => !isEndpoint(t, offer)).map((t) => t.source);
        const marks = {
          from: this.isFrom(source),
          node: this.isNode(first!.object.name),
          namespace: this.isNamespace(source.namespace),
        };
        return count === 0 ? [] : [{ kind: "pod", token: client.split(" ")[0]!, place, count, on, ...marks }];
      });
    });
  }

  #counted(place: Place, offer: Offer | undefined): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const host of place.hosts())
      for (const [client, list] of this.#byClient.get(host)!)
        counts.set(client, (counts.get(client) ?? 0) + list.filter((t) => !isEndpoint(t, offer)).length);
    return counts;
  }

  /** All of a kind but those on nodes that host endpoints. */
  #left(place: Place, offer: Offer | undefined): ReadonlyMap<string, number> {
    const kinds = this.#kindsFor(offer);
    const kind = kinds.byId.get(place.id)!;
    const counts = new Map(kind.counts);
    for (const host of offer?.places.keys() ?? [])
      if (kinds.of.get(host) === kind)
        for (const [client, list] of this.#byClient.get(host)!) counts.set(client, counts.get(client)! - list.length);
    return counts;
  }

  /** The Service's own endpoints, as those who ask. */
  endpoints(places: readonly Place[], offer: Offer): readonly SourceClass[] {
    return places.flatMap((place) => {
      if (!place.singled) return [];
      const found = new Map<string, Source[]>();
      for (const host of place.hosts())
        for (const tenant of host.tenants) {
          if (!isEndpoint(tenant, offer)) continue;
          const source: Source = { ...tenant.source, kind: "endpoint" };
          const marks = `${this.isFrom(source)} ${this.isNamespace(source.namespace)}`;
          const id = `${tenant.client}/${[...tenant.server.values()].join("/")} ${marks}`;
          const known = found.get(id);
          if (known === undefined) found.set(id, [source]);
          else known.push(source);
        }
      return [...found].map(([id, list]): SourceClass => {
        const [first] = list;
        return {
          kind: "endpoint",
          token: id.split(" ")[0]!,
          place,
          count: list.length,
          on: (host) => list.filter((s) => s.node === host.object.name),
          from: this.isFrom(first!),
          node: this.isNode(first!.node),
          namespace: this.isNamespace(first!.namespace),
        };
      });
    });
  }
}

function place(
  { byId, of }: Kinds,
  host: Host,
  shape: number,
  more: string,
  clients: ReadonlyMap<string, readonly Tenant[]>,
): void {
  const id = `${shape} ${more}`;
  const kind = byId.get(id) ?? { token: `b${shape}`, id, hosts: [], counts: new Map<string, number>() };
  byId.set(id, kind);
  kind.hosts.push(host);
  of.set(host, kind);
  for (const [client, list] of clients) kind.counts.set(client, (kind.counts.get(client) ?? 0) + list.length);
}

const isEndpoint = ({ source }: Tenant, offer: Offer | undefined): boolean =>
  offer !== undefined && source.addresses.some((a) => offer.endpoints.has(a));

function* others(hosts: readonly Host[], own: ReadonlyMap<Host, number>): Generator<Host> {
  for (const host of hosts) if (!own.has(host)) yield host;
}

export const nodeSource = ({ object: { name, addresses } }: Host, kind: SourceKind): Source =>
  kind === "external"
    ? { kind, from: "external", node: name, namespace: null, arrives: true, addresses }
    : { kind, from: `node/${name}`, node: name, namespace: null, arrives: false, addresses };

/** It has an address of the family that is asked. */
export const speaks = (source: Source, family: 4 | 6): boolean => source.addresses.some((a) => familyOf(a) === family);
