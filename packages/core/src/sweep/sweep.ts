import type { Askable } from "../diagnose/index.ts";
import type { World } from "../model/index.ts";
import { append } from "../net/append.ts";
import { Asking } from "./asking.ts";
import { AlikeServices } from "./classes/alike.ts";
import { Census } from "./counted/census.ts";
import { isCountable } from "./counted/countable.ts";
import { sweepCounted } from "./counted/sweep-counted.ts";
import type { Group } from "./flow.ts";
import { Joining, Likeness } from "./joining.ts";
import type { Memory } from "./memory/memory.ts";
import { planLike } from "./memory/same-plan.ts";
import { closed, join, type Open, opened, seal } from "./open-class.ts";
import { type Flow, planOf, type Wanted } from "./plan.ts";
import type { Recall } from "./recall.ts";
import { everyOne, Runs, type Turns } from "./runs.ts";
import { areSameSources } from "./sources.ts";
import type { Sweep } from "./swept.ts";
import { Lesson, TwinServices } from "./twins/twin-services.ts";
import { oddServices, viewsOf } from "./views/views.ts";

export interface SweepOptions extends Wanted {
  /** Another World than the one that was read: a change tried. */
  readonly world?: World;
  /** Every flow is walked for itself: what sharing is held against. */
  readonly every?: boolean;
  /** Told of every flow, and of the class that answers for it. */
  readonly member?: (flow: Flow, id: string, group: string) => void;
  /** Told of every class for which a walk was made: one that is known from before needs none. */
  readonly walked?: () => void;
  /** Told of groups of which all flows keep their answer, by their classes, in place of the flows. */
  readonly kept?: (group: Group, classes: readonly Pick<Open, "flows" | "answer">[]) => void;
  /** Takes note for the next sweep. */
  readonly memory?: Memory;
  /** What an earlier sweep took note of: what is as it was is not walked, and the answer is the same as if it had been. */
  readonly recall?: Recall | undefined;
}

/** How far it is. */
export interface SweepProgress {
  readonly answered: number;
  readonly flows: number;
  /** What is known so far. */
  readonly known: () => Sweep;
  /** It goes no further before somebody else has asked another flow, or all of a group. */
  readonly waits?: "flow" | "group";
}

/** Flows that join their class between two looks of whoever waits. */
const TURN = 4096;

/** Asks every flow, a walk for each class of them; yields after each walk, so that whoever waits can stop it. */
export function* sweep(askable: Askable, options: SweepOptions = {}): Generator<SweepProgress, Sweep> {
  const objects = options.world === undefined && options.every !== true ? askable.objectsAlone() : undefined;
  const census = objects === undefined || !isCountable(objects) ? undefined : new Census(objects);
  if (census !== undefined) return yield* sweepCounted(askable, census, options);
  const world = options.world ?? askable.world;
  const { shard, memory, recall } = options;
  const planned = recall?.memory.planned;
  const plan = planned === undefined ? planOf(world, options) : planLike(planned, world, options);
  const classes: Open[] = [];
  let answered = 0;
  const known = (): Sweep => ({
    classes: classes.map(closed),
    flows: plan.flows,
    answered,
    walks: classes.length,
    ...(shard !== undefined && { shard }),
  });
  const views = options.every === true ? undefined : viewsOf(askable, world, recall?.memory.views);
  // Beside what was observed no Service is told by another without a look at its flows.
  const isPlain = views?.shareable === true && views.seen === undefined;
  const isOdd = oddServices(askable, world);
  const alike = views?.shareable === true ? new AlikeServices(views, isOdd) : undefined;
  const likeness = views?.shareable === true && recall === undefined ? new Likeness(views) : undefined;
  const pods = plan.sources.filter((s) => s.kind === "pod");
  // Who is told of every flow, or knows one by one how they fared, has them listed.
  const { askedByAll } = plan;
  const isCounted = memory === undefined && recall === undefined && options.member === undefined;
  const runs = isCounted && likeness !== undefined ? new Runs(pods, (p) => likeness.bunches.clientOf(p, 4)) : undefined;
  const twins =
    isCounted && isPlain && likeness !== undefined
      ? new TwinServices<Open>(views, likeness.nodes, plan.sources, isOdd)
      : undefined;
  const turnsOf = (group: Group): Turns =>
    group.kind === "pod" && group.targets.every((t) => t.family === 4) && runs !== undefined && askedByAll !== undefined
      ? runs.turns({ ...group, targets: askedByAll(group) })
      : everyOne(plan.flowsOf(group));
  if (memory !== undefined) {
    memory.views = views;
    memory.planned = { world, wanted: options, plan };
  }
  const isAsBefore =
    recall !== undefined &&
    (options.member === undefined || options.kept !== undefined) &&
    planned !== undefined &&
    areSameSources(plan.sources, planned.plan.sources);
  for (const group of plan.groups) {
    if (memory === undefined && recall === undefined) views?.stacks.rest();
    if (isAsBefore && views !== undefined) {
      let before = recall.memory.allOf(group);
      while (before === "later") {
        yield { answered, flows: plan.flows, known, waits: "group" };
        before = recall.memory.allOf(group);
      }
      const kept = before === undefined ? undefined : recall.keptIn(group, before, views);
      if (kept !== undefined) {
        append(classes, kept);
        const turned = Math.floor(answered / TURN);
        for (const { flows } of kept) answered += flows;
        options.kept?.(group, kept);
        if (turned < Math.floor(answered / TURN)) yield { answered, flows: plan.flows, known };
        continue;
      }
    }
    const asking = new Asking<Open>(askable, world, views, alike, recall);
    const joining = likeness === undefined ? undefined : new Joining<Open>(likeness, asking);
    const turns = turnsOf(group);
    const like = twins?.of(group);
    const [twin, lesson] = like instanceof Lesson ? [undefined, like] : [like, undefined];
    let number = 0;
    let turn = 0;
    for (let flow = turns.next(); flow !== undefined; flow = turns.next()) {
      const others = twin?.find(flow);
      const told = others ?? twin?.open(flow, (given) => opened(group, number++, given));
      if (told !== undefined) {
        if (others === undefined) classes.push(told);
        else join(told, flow, 1);
        answered++;
        turn++;
        if (answered % TURN === 0) yield { answered, flows: plan.flows, known };
        continue;
      }
      const first = joining?.find(flow);
      if (first !== undefined) {
        lesson?.note(flow, first.open, undefined);
        const all = 1 + turns.skip(first.about);
        join(first.open, flow, all);
        memory?.note(group, flow, first.open, asking.full);
        options.member?.(flow, first.open.id, group.key);
        const turned = Math.floor(answered / TURN);
        answered += all;
        turn++;
        if (turned < Math.floor(answered / TURN)) yield { answered, flows: plan.flows, known };
        continue;
      }
      let before = recall?.memory.at(group.key, turn, flow);
      while (before === "later") {
        yield { answered, flows: plan.flows, known, waits: "flow" };
        before = recall?.memory.at(group.key, turn, flow);
      }
      if (asking.full) before = undefined;
      let open = asking.find(flow, before);
      const shared = open !== undefined;
      if (open !== undefined) join(open, flow, 1);
      else {
        const made = asking.open(flow, before, (given) => opened(group, number++, given));
        open = made.opened;
        open.known = made.known;
        classes.push(open);
        if (made.walked) options.walked?.();
      }
      lesson?.note(flow, open, asking);
      const joinable = joining?.note(flow, open);
      memory?.note(group, flow, open, asking.full);
      options.member?.(flow, open.id, group.key);
      answered++;
      turn++;
      if (joinable !== undefined) {
        const others = turns.skip(joinable.about);
        open.flows += others;
        answered += others;
      }
      if (!shared || answered % TURN === 0) yield { answered, flows: plan.flows, known };
    }
    if (lesson !== undefined && !asking.full) twins?.learn(lesson);
    for (let at = classes.length - number; at < classes.length; at++) seal(classes[at]!);
  }
  if (memory !== undefined) memory.done = true;
  return known();
}
