import { type Oracle, Work } from "../datapath/index.ts";
import type { Unknown, World } from "../model/index.ts";
import type { Exploration } from "./explore/branch.ts";
import { explore } from "./explore/explore.ts";
import { unwalkedBranch } from "./explore/unwalked.ts";
import type { Question } from "./question/question.ts";
import { converse } from "./walk/conversation.ts";
import { type Recorded, Walk } from "./walk/walk.ts";

export { notingStacks, notingWays, type Ways, Work } from "../datapath/index.ts";
export { type AddressSpans, addressSpansOf } from "./alike/address-spans.ts";
export { type Alike, AlikeQuestions, ToldAlike } from "./alike/alike.ts";
export { type Region, regionOf } from "./alike/region.ts";
export * from "./explore/branch.ts";
export * from "./explore/fate.ts";
export { type Narrowed, narrow } from "./explore/narrow.ts";
export * from "./explore/shorten.ts";
export { type Acquaintance, acquaintanceOf } from "./hosts/acquaintance.ts";
export { hostedBy, isInternal, knowledgeOf } from "./hosts/known-hosts.ts";
export { type Owner, ownerOf } from "./hosts/owners.ts";
export { isPlacedElsewhere } from "./hosts/placed-elsewhere.ts";
export { placesOf, placeText } from "./hosts/places.ts";
export { shownListeners } from "./hosts/shown-listeners.ts";
export { failsOnceOnly, groundsOf } from "./judge/grounds.ts";
export * from "./judge/verdict.ts";
export { asksByName, familiesAsked } from "./question/families.ts";
export { nearest } from "./question/near-names.ts";
export type { Question } from "./question/question.ts";
export * from "./question/resolve-question.ts";
export { type KnownService, knownServices, knownServicesLike, servicesAt } from "./question/services-by-rules.ts";
export type { Recorded } from "./walk/walk.ts";

/** The answer where a question is understood and not walked yet: one branch that says so. */
export function undeterminedBranch(world: World, reason: Unknown): Exploration {
  const branch = unwalkedBranch(reason, "question", 1);
  return { branches: [branch], facts: [], overflow: false, world, fixed: new Map(), afterwards: new Work() };
}

/** Walks a question through a World: every branch of every hypothesis, there and back. */
export function trace(
  world: World,
  question: Question,
  options: {
    readonly fixed?: ReadonlyMap<string, string>;
    /**
     * `false`: legs have no steps; ends, what the client sees and the facts that were asked are all there is. `lines`: what its packets
     * came by (`Leg.met`), and no steps either.
     */
    readonly record?: Recorded;
    /** Rules that did not match are steps, too. */
    readonly verbose?: boolean;
    /** Every branch as it was walked: those of equal fate are not merged. */
    readonly every?: boolean;
    /** No more walks than this; the answer is then undetermined. */
    readonly runs?: number;
    /** Grounds of which the other value is walked, too. */
    readonly doubted?: ReadonlySet<string>;
    /** The walk that this one follows from, whose budget for what follows it draws on. */
    readonly after?: Pick<Exploration, "afterwards">;
    /** What it may cost otherwise; by default a budget of its own. */
    readonly work?: Work;
  } = {},
): Exploration {
  const { fixed = new Map(), record = true, verbose = false, every = false, runs, after, doubted } = options;
  const work = after?.afterwards ?? options.work ?? new Work();
  const run = (current: World, oracle: Oracle) =>
    converse(new Walk(current, question, oracle, { record, verbose, work }));
  const explored = explore(world, fixed, run, {
    every,
    work,
    ...(after !== undefined && { afterwards: after.afterwards }),
    ...(runs !== undefined && { runs }),
    ...(doubted !== undefined && { doubted }),
  });
  return { ...explored, to: question.to };
}
