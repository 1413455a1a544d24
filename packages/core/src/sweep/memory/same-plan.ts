import type { Stack, World } from "../../model/index.ts";
import { knownServices, knownServicesLike } from "../../trace/index.ts";
import { isSame } from "../classes/touched.ts";
import { type Plan, planOf, type Wanted } from "../plan.ts";
import { areSameSources, sourcesOf } from "../sources.ts";

/** What was asked of a World. */
export interface Planned {
  readonly world: World;
  readonly wanted: Wanted;
  readonly plan: Plan;
}

/** What is asked of a World that differs from another in some stacks and in nothing else: mostly the same, and then it is not put together again. */
export const planLike = (before: Planned, world: World, wanted: Wanted): Plan =>
  isSameWanted(before.wanted, wanted) &&
  areSameSources(before.plan.sources, sourcesOf(world)) &&
  hasSameTargets(before.world, world)
    ? before.plan
    : planOf(world, wanted);

const isSameWanted = (a: Wanted, b: Wanted): boolean => wantedText(a) === wantedText(b);

const wantedText = ({ from, to, node, namespace, family, shard }: Wanted): string =>
  JSON.stringify([from, to, node, namespace, family, shard]);

/** By all of a stack that `targetsOf()` reads. */
function hasSameTargets(before: World, now: World): boolean {
  const isAsked = (a: Stack, b: Stack | undefined): boolean =>
    a === b || (b !== undefined && isSame(askedOf(a), askedOf(b)));
  return (
    before.stacks.length === now.stacks.length &&
    before.stacks.every((s, i) => isAsked(s, now.stacks[i])) &&
    isSame(knownServices(before), knownServicesLike(now, before))
  );
}

const askedOf = ({ name, kind, node, assumed, fromObjects, devices, ipvs, listeners }: Stack): readonly unknown[] => [
  name,
  kind,
  node,
  assumed,
  fromObjects,
  devices,
  ipvs,
  // Of others it is the port of the kubelet alone, whoever listens.
  kind === "pod" ? listeners : undefined,
];
