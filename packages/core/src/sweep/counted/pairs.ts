import type { Source, Target } from "../flow.ts";
import type { Flow } from "../plan.ts";
import type { Host } from "./census.ts";
import { type Place, type Places, type SourceClass, speaks, type TargetClass } from "./places.ts";
import { allOf, type Spread } from "./spread.ts";

/** Flows that are one to a walk, counted. */
export interface Counted {
  /** Beside what is asked: who asks from where, and where what is asked stands. */
  readonly key: string;
  readonly count: number;
  readonly example: Flow;
  /** Nodes that its sources stand on, and addresses that they ask, by place. */
  readonly nodes: readonly Spread[];
  readonly addresses: readonly Spread[];
  readonly members: () => Generator<Flow>;
}

/** `same`: from the very node that the target stands on; `other`: from another; `any`: it stands nowhere. */
type Relation = "any" | "same" | "other";

/** Every source class with every target class. */
export function* pairsOf(
  places: Places,
  sources: readonly SourceClass[],
  targets: readonly TargetClass[],
  allowed: (source: Source, target: Target) => boolean = () => true,
): Generator<Counted> {
  for (const target of targets) {
    const [home] = target.place?.hosts() ?? [undefined];
    const { family } = target.at(home);
    for (const source of sources) {
      if (!places.wants(source, target)) continue;
      for (const relation of relationsOf(source, target)) {
        const members = (): Generator<Flow> => flowsOf(source, target, relation, family, allowed);
        const first = members().next();
        if (first.done === true) continue;
        const { size = 1 } = target.place ?? {};
        const count =
          relation === "any" || relation === "same"
            ? source.count
            : source.count * (source.place === target.place ? size - 1 : size);
        yield {
          key: `${source.kind} ${source.token} ${source.place.token} ${target.token} ${target.place?.token ?? ""} ${relation}`,
          count,
          example: first.value,
          nodes: [spread("", source.place, (host) => source.on(host).length > 0)],
          addresses: [
            target.place === undefined ? allOf(target.token, 1) : asked(source, target, target.place, relation),
          ],
          members,
        };
      }
    }
  }
}

function relationsOf({ place, kind }: SourceClass, target: TargetClass): readonly Relation[] {
  if (target.place === undefined) return ["any"];
  // An address of a node is reached from outside by that node.
  if (kind === "external") return target.place === place ? ["same"] : [];
  return target.place === place ? ["same", "other"] : ["other"];
}

function spread(prefix: string, place: Place, has: (host: Host) => boolean): Spread {
  const id = `${prefix}${place.id}`;
  return place.singled ? { id, only: new Set([...place.hosts()].filter(has)) } : allOf(id, place.size);
}

/** Addresses that are asked: a node's own, by those that stand on it, or by some on another. */
function asked(source: SourceClass, target: TargetClass, place: Place, relation: Relation): Spread {
  const prefix = `${target.token} `;
  if (source.place !== place || !place.singled) return spread(prefix, place, () => true);
  const homes = new Set([...place.hosts()].filter((host) => source.on(host).length > 0));
  return spread(prefix, place, (host) => (relation === "same" ? homes.has(host) : homes.size > 1 || !homes.has(host)));
}

function* flowsOf(
  source: SourceClass,
  target: TargetClass,
  relation: Relation,
  family: 4 | 6,
  allowed: (source: Source, target: Target) => boolean,
): Generator<Flow> {
  for (const host of source.place.hosts())
    for (const one of source.on(host)) {
      if (!speaks(one, family)) continue;
      if (target.place === undefined) yield { source: one, target: target.at(undefined) };
      else
        for (const there of relation === "same" ? [host] : target.place.hosts()) {
          if ((there === host) !== (relation === "same")) continue;
          const asked = target.at(there);
          if (allowed(one, asked)) yield { source: one, target: asked };
        }
    }
}
