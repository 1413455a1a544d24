import type { World } from "../model/index.ts";
import { type Address, type Family, familyOf, formatEndpoint, protocolName } from "../net/index.ts";
import type { FlowQuestion, Group, Source, SourceKind, Target } from "./flow.ts";
import { matchesGlob } from "./glob.ts";
import { sourcesOf } from "./sources.ts";
import type { Shard } from "./swept.ts";
import { targetsOf } from "./targets.ts";

/** Which flows are wanted. Several values of one option are alternatives. */
export interface Wanted {
  /** Kinds of sources, or names with globs: `pod/shop/*`. */
  readonly from?: readonly string[] | undefined;
  /** Kinds of targets and of Service addresses, or names with globs: `svc/shop/*`. */
  readonly to?: readonly string[] | undefined;
  /** Either end stands there. */
  readonly node?: readonly string[] | undefined;
  /** Either end is of it. */
  readonly namespace?: readonly string[] | undefined;
  readonly family?: Family | undefined;
  /** The part I of N, from 1. */
  readonly shard?: Shard | undefined;
}

export interface Plan {
  readonly sources: readonly Source[];
  readonly groups: readonly Group[];
  readonly flowsOf: (group: Group) => Generator<Flow>;
  /** What is asked of a group, where all who can ask it do; undefined: some of them were not wanted. */
  readonly askedByAll: ((group: Group) => readonly Target[]) | undefined;
  /** How many there are in all. */
  readonly flows: number;
}

export interface Flow {
  readonly source: Source;
  readonly target: Target;
}

export const askedOf = ({ source, target }: Flow): FlowQuestion => ({
  from: source.from,
  to: formatEndpoint(target.address, target.port),
  proto: protocolName(target.protocol),
  ...(source.arrives && source.node !== null && { node: source.node }),
});

/** How a target is called, as `--to` and expectations take it. */
export const targetName = ({ kind, name, address, port }: Target): string =>
  name === null
    ? formatEndpoint(address, port)
    : kind === "pod"
      ? `pod/${name}`
      : kind === "kubelet"
        ? `node/${name}`
        : `svc/${name}`;

/** What is asked of a World: every source, every target, in groups whose flows may share an answer. */
export function planOf(world: World, wanted: Wanted = {}): Plan {
  const sources = sourcesOf(world);
  const targets = targetsOf(world, sources);
  const balanced = new Set(world.loadBalancers.map((b) => b.address));
  const byKey = new Map<string, Target[]>();
  const kinds = new Map<string, SourceKind>();
  for (const target of targets)
    for (const kind of kindsAsking(target, balanced.has(target.address))) {
      const key = groupKey(kind, target);
      kinds.set(key, kind);
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, [target]);
      else known.push(target);
    }
  const all = [...byKey].map(([key, list], number): Group => ({ key, number, kind: kinds.get(key)!, targets: list }));
  const byKind = new Map<SourceKind, Source[]>();
  for (const source of sources) {
    const known = byKind.get(source.kind);
    if (known === undefined) byKind.set(source.kind, [source]);
    else known.push(source);
  }
  const askers = new Askers(byKind);
  const flowsOf = (group: Group): Generator<Flow> => flowsIn(group, askers, wanted);
  const { shard } = wanted;
  const groups = all.filter(
    (g) => (shard === undefined || spread(g.number) % shard.of === shard.index - 1) && !flowsOf(g).next().done,
  );
  let flows = 0;
  const isAll = [wanted.from, wanted.node, wanted.namespace].every((w) => w === undefined || w.length === 0);
  const askedByAll = isAll ? ({ targets: of }: Group) => of.filter((t) => isWantedTarget(t, wanted)) : undefined;
  for (const group of groups)
    if (askedByAll !== undefined) for (const target of askedByAll(group)) flows += askers.count(group.kind, target);
    else for (const _ of flowsOf(group)) flows++;
  return { sources, groups, flowsOf, askedByAll, flows };
}

/** Kinds of sources take turns among groups: counted off, one shard would have all nodes and another all pods. Multiplicative hashing, as Knuth has it. */
const spread = (number: number): number => Math.imul(number + 1, 0x9e3779b1) >>> 8;

/** What of a target all members of a class have in common. */
const groupKey = (kind: SourceKind, { kind: target, name, via, port, protocol, family, address }: Target): string =>
  [
    kind,
    target,
    target === "pod" || target === "kubelet" ? "" : (name ?? String(address)),
    via ?? "",
    port,
    protocol,
    family,
  ].join(" ");

/** Who asks what: nobody outside has a way to a ClusterIP, a pod or a kubelet that anybody promised. */
export function kindsAsking({ kind, via }: Pick<Target, "kind" | "via">, isBalanced: boolean): readonly SourceKind[] {
  if (kind === "kubelet" || kind === "pod") return ["node", "pod"];
  if (via === "clusterip") return ["node", "pod", "endpoint"];
  if (via === "loadbalancer" && isBalanced) return ["node", "pod", "endpoint", "host", "loadbalancer"];
  return ["node", "pod", "endpoint", "host", "external"];
}

export const THROUGH_BALANCER: Source = {
  kind: "loadbalancer",
  from: "external",
  node: null,
  namespace: null,
  arrives: false,
  addresses: [],
};

/** Who asks, by kind; and who of the pods has an address. */
class Askers {
  readonly #byKind: ReadonlyMap<SourceKind, readonly Source[]>;
  readonly #pods = new Map<Address, number>();
  readonly #counts = new Map<string, number>();

  constructor(byKind: ReadonlyMap<SourceKind, readonly Source[]>) {
    this.#byKind = byKind;
    for (const [i, { addresses }] of (byKind.get("pod") ?? []).entries())
      for (const address of addresses) this.#pods.set(address, i);
  }

  #of(kind: SourceKind): readonly Source[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** In their order. A pod asks what it serves as its endpoint: of those none but its own are looked at. */
  of(kind: SourceKind, { endpoints }: Target): readonly Source[] {
    if (kind !== "endpoint") return this.#of(kind);
    const own = new Set<number>();
    for (const address of endpoints) {
      const at = this.#pods.get(address);
      if (at !== undefined) own.add(at);
    }
    return [...own].sort((a, b) => a - b).map((at) => this.#of("pod")[at]!);
  }

  /** How many flows there are, without a list of them. */
  count(kind: SourceKind, target: Target): number {
    if (kind === "loadbalancer") return 1;
    const isOwn = (source: Source): boolean => flowOf(source, kind, target) !== undefined;
    if (kind === "endpoint" || kind === "external") return this.of(kind, target).filter(isOwn).length;
    const family = `${kind} ${target.family}`;
    let all = this.#counts.get(family);
    if (all === undefined) {
      all = this.#of(kind).filter((s) => s.addresses.some((a) => familyOf(a) === target.family)).length;
      this.#counts.set(family, all);
    }
    // Whoever does not ask it: who serves it, and who is asked.
    const apart = new Set(this.of("endpoint", target));
    if (target.kind === "pod" || target.kind === "kubelet")
      for (const source of kind === "pod" ? this.#withAddress(target.address) : this.#of(kind))
        if (source.addresses.includes(target.address)) apart.add(source);
    return all - [...apart].filter((s) => s.kind === kind && isOfFamily(s, target) && !isOwn(s)).length;
  }

  #withAddress(address: Address): readonly Source[] {
    const at = this.#pods.get(address);
    return at === undefined ? [] : [this.#of("pod")[at]!];
  }
}

const isOfFamily = ({ addresses }: Source, { family }: Target): boolean =>
  addresses.some((a) => familyOf(a) === family);

function* flowsIn({ kind, targets }: Group, askers: Askers, wanted: Wanted): Generator<Flow> {
  const isAll = [wanted.from, wanted.node, wanted.namespace].every((w) => w === undefined || w.length === 0);
  for (const target of targets) {
    if (!isWantedTarget(target, wanted)) continue;
    if (kind === "loadbalancer") {
      const flow = { source: THROUGH_BALANCER, target };
      if (isWantedFlow(flow, wanted)) yield flow;
      continue;
    }
    for (const source of askers.of(kind, target)) {
      const flow = flowOf(source, kind, target);
      if (flow !== undefined && (isAll || isWantedFlow(flow, wanted))) yield flow;
    }
  }
}

/** The source asks it as one of that kind: a pod that is an endpoint of the Service does so as its endpoint. */
export function flowOf(source: Source, kind: SourceKind, target: Target): Flow | undefined {
  const isEndpoint = source.kind === "pod" && source.addresses.some((a) => target.endpoints.has(a));
  if ((isEndpoint ? "endpoint" : source.kind) !== kind) return undefined;
  if (!source.addresses.some((a) => familyOf(a) === target.family)) return undefined;
  // A pod or a node that calls itself says nothing of the cluster.
  if ((target.kind === "pod" || target.kind === "kubelet") && source.addresses.includes(target.address))
    return undefined;
  // An address of a node is reached from outside by that node.
  if (kind === "external" && target.node !== null && target.node !== source.node) return undefined;
  return { source: isEndpoint ? asEndpoint(source) : source, target };
}

const endpoints = new WeakMap<Source, Source>();

/** The same record whichever of its own Services a pod asks: who keeps flows keeps one of them. */
function asEndpoint(pod: Source): Source {
  let known = endpoints.get(pod);
  if (known === undefined) {
    known = { ...pod, kind: "endpoint" };
    endpoints.set(pod, known);
  }
  return known;
}

const SERVICE_KINDS: readonly string[] = ["service", "dns", "apiserver"];

export const isWantedTarget = (target: Target, { to, family }: Pick<Wanted, "to" | "family">): boolean =>
  (family === undefined || family === target.family) &&
  (to === undefined || to.length === 0 || to.some((word) => isTarget(word, target)));

/** By its kind, its address and port, or its name with globs: `svc/shop/*:80`, the name and the port apart. */
export function isTarget(word: string, target: Target): boolean {
  if (matchesGlob(word, formatEndpoint(target.address, target.port))) return true;
  const match = /^((?:svc|pod|node)\/[^:]+)(?::(\d+))?$/.exec(word);
  if (match === null)
    return word === target.kind || word === target.via || (word === "service" && SERVICE_KINDS.includes(target.kind));
  const port = match[2] === undefined ? undefined : Number(match[2]);
  if (port !== undefined && port !== target.port && port !== target.servicePort) return false;
  return matchesGlob(match[1]!, targetName(target));
}

function isWantedFlow({ source, target }: Flow, { from, node, namespace }: Wanted): boolean {
  if (from !== undefined && from.length > 0 && !from.some((word) => isSource(word, source))) return false;
  const ends = [source, target];
  if (node !== undefined && node.length > 0)
    if (!ends.some((e) => e.node !== null && node.some((n) => matchesGlob(n, e.node!)))) return false;
  if (namespace !== undefined && namespace.length > 0)
    if (!ends.some((e) => e.namespace !== null && namespace.some((n) => matchesGlob(n, e.namespace!)))) return false;
  return true;
}

/** By its kind, or by its name with globs; `external/NODE` is somebody outside through that node. */
export const isSource = (word: string, { kind, from, node }: Source): boolean =>
  word === kind ||
  (kind === "endpoint" && word === "pod") ||
  matchesGlob(word, kind === "external" ? `external/${node}` : from) ||
  // A pod that was dumped is called by its stack.
  ((kind === "pod" || kind === "endpoint") && matchesGlob(word, from.replace(/^stack\//, "pod/"))) ||
  (kind === "external" && word === from);
