import type { Address } from "../../net/index.ts";
import type { Source, Target } from "../flow.ts";
import type { Flow } from "../plan.ts";
import type { Host, Tenant } from "./census.ts";
import type { Counted } from "./pairs.ts";
import { type Place, type Places, type SourceClass, speaks } from "./places.ts";
import { allOf, type Spread } from "./spread.ts";

/** Pods that are the same to whoever asks them. */
interface PodQuestion {
  /** Of all questions. */
  readonly id: string;
  readonly token: string;
  readonly place: Place;
  readonly on: ReadonlyMap<Host, readonly Target[]>;
  readonly count: number;
  readonly node: boolean;
  readonly namespace: boolean;
}

/** Everybody asks every pod but itself. */
export function* podPairs(
  places: Places,
  all: readonly Place[],
  sources: readonly SourceClass[],
  targets: ReadonlyMap<Tenant, readonly Target[]>,
): Generator<Counted> {
  for (const asked of askedIn(places, all, targets))
    for (const source of sources) {
      if (!places.wants(source, asked)) continue;
      const beside = source.place === asked.place ? besides(source, asked) : NOBODY;
      const same = beside.pairs - beside.self;
      const other = source.count * asked.count - beside.pairs;
      for (const [relation, count] of [
        ["same", same],
        ["other", other],
      ] as const) {
        if (count === 0) continue;
        const members = (): Generator<Flow> => flowsOf(source, asked, relation === "same");
        const first = members().next();
        if (first.done === true) continue;
        yield {
          key: `${source.kind} ${source.token} ${source.place.token} ${asked.token} ${asked.place.token} ${relation}`,
          count,
          example: first.value,
          nodes: [relation === "same" ? beside.nodes : elsewhere(source, asked)],
          addresses: [relation === "same" ? beside.addresses : allOf(asked.id, asked.count)],
          members,
        };
      }
    }
}

function askedIn(
  places: Places,
  all: readonly Place[],
  targets: ReadonlyMap<Tenant, readonly Target[]>,
): readonly PodQuestion[] {
  const placeOf = new Map<Host, Place>(
    all.flatMap((place) => [...place.hosts()].map((host) => [host, place] as const)),
  );
  const found = new Map<
    string,
    { first: Target; id: string; token: string; place: Place; on: Map<Host, Target[]>; count: number }
  >();
  for (const [{ host, server }, list] of targets)
    for (const target of list) {
      const place = placeOf.get(host)!;
      const token = `${server.get(target.address)}`;
      const id = `${token} ${place.id} ${places.isNamespace(target.namespace)}`;
      const known = found.get(id) ?? { first: target, id, token, place, on: new Map<Host, Target[]>(), count: 0 };
      found.set(id, known);
      const own = known.on.get(host);
      if (own === undefined) known.on.set(host, [target]);
      else own.push(target);
      known.count++;
    }
  return [...found.values()].map(({ first, ...rest }) => ({
    ...rest,
    node: places.isNode(first.node),
    namespace: places.isNamespace(first.namespace),
  }));
}

/** Pairs on one node, those of them in which one asks itself, and where the others stand. */
interface Besides {
  readonly pairs: number;
  readonly self: number;
  readonly nodes: Spread;
  readonly addresses: Spread;
}

const NOBODY: Besides = { pairs: 0, self: 0, nodes: allOf("", 0), addresses: allOf("", 0) };

function besides(source: SourceClass, asked: PodQuestion): Besides {
  let pairs = 0;
  let self = 0;
  const nodes = new Set<Host>();
  const addresses = new Set<Address>();
  for (const [host, targets] of asked.on) {
    const own = source.on(host);
    pairs += own.length * targets.length;
    for (const { address } of targets) {
      const itself = own.filter((one) => one.addresses.includes(address)).length;
      self += itself;
      if (itself === own.length) continue;
      nodes.add(host);
      addresses.add(address);
    }
  }
  return {
    pairs,
    self,
    nodes: { id: source.place.id, only: nodes },
    addresses: { id: asked.id, only: addresses },
  };
}

/** Nodes from which pods of others are asked: not the only one that has any of these. */
function elsewhere({ place }: SourceClass, { on, place: askedPlace }: PodQuestion): Spread {
  const [only, second] = on.keys();
  const but = place === askedPlace && second === undefined ? new Set([only]) : undefined;
  return allOf(place.id, place.size, but);
}

function* flowsOf(source: SourceClass, asked: PodQuestion, same: boolean): Generator<Flow> {
  for (const [there, targets] of asked.on)
    for (const host of same ? [there] : source.place.hosts()) {
      if ((host === there) !== same) continue;
      for (const one of source.on(host))
        for (const target of targets) if (isAsked(one, target)) yield { source: one, target };
    }
}

const isAsked = (source: Source, target: Target): boolean =>
  speaks(source, target.family) && !source.addresses.includes(target.address);
