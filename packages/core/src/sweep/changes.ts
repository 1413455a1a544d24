import type { Askable } from "../diagnose/index.ts";
import type { World } from "../model/index.ts";
import type { Answer } from "./answer.ts";
import { changedStacks } from "./classes/touched.ts";
import type { Group, Source, Target } from "./flow.ts";
import { FlowList, Numbered } from "./memory/flow-list.ts";
import { isSameFlow, Memory } from "./memory/memory.ts";
import { askedOf, type Flow, type Wanted } from "./plan.ts";
import { Recall } from "./recall.ts";
import { type SweepOptions, type SweepProgress, sweep } from "./sweep.ts";
import { fails, type Sweep, type SweptClass } from "./swept.ts";

/** One side of a comparison: a snapshot, or a snapshot with something changed in it. */
export interface SweepSide {
  readonly askable: Askable;
  readonly world?: World;
}

/** `open`: how it fares in the second cannot be said any more. */
export type Direction = "breaks" | "heals" | "worse" | "better" | "otherwise" | "open";

/** Flows that were one class before and are one class after, and fare otherwise. */
export interface ChangedClass extends Pick<SweptClass, "from" | "to" | "proto" | "family" | "example"> {
  readonly id: string;
  readonly direction: Direction;
  readonly flows: number;
  readonly before: Answer;
  readonly after: Answer;
}

/** What becomes of all flows from one side to the other. */
export interface SweepChanges {
  /** Flows that both sides have. */
  readonly flows: number;
  readonly changed: readonly ChangedClass[];
  /** Flows that only one side has: a Service, a pod or a node that came or went. */
  readonly gone: number;
  readonly fresh: number;
  /** Flows of both sides of which nobody can say how they fare in the second. */
  readonly undetermined: number;
  /** Services that only the first has: nobody can say how their clients fare. */
  readonly lost: readonly string[];
  /** Flows that only the second has, and that fail there. */
  readonly freshFailing: number;
  readonly complete: boolean;
  /** Classes that were walked for each side. */
  readonly walks: { readonly before: number; readonly after: number };
}

const askedKey = (flow: Flow): string => {
  const { from, to, proto, node = "" } = askedOf(flow);
  return `${flow.source.kind === "endpoint" ? "pod" : flow.source.kind} ${from} ${to} ${proto} ${node}`;
};

export interface CompareProgress {
  readonly answered: number;
  readonly flows: number;
  /** Which of the two went on. */
  readonly side: "before" | "after";
  /** What is known so far, of the flows that both sides have answered. */
  readonly known: () => SweepChanges;
}

/**
 * Sweeps both sides and lays them beside each other, flow by flow. Both are walked in turn, the one that is behind first, so that
 * there is something to compare whenever it is stopped.
 */
export function* compareSweeps(
  before: SweepSide,
  after: SweepSide,
  wanted: Wanted,
): Generator<CompareProgress, SweepChanges> {
  const asked = asWalked(before, after);
  const shared = sharedWith(asked, after);
  const memory = new Memory();
  const a = new Walked(asked, wanted, { memory });
  const b =
    shared === undefined
      ? new Walked(after, wanted)
      : new Walked(shared.side, wanted, { recall: new Recall(memory, shared.changed, worldOf(shared.side)) });
  const known = (): SweepChanges => laidBeside(a, b);
  let groups = 0;
  while (!a.done || !b.done) {
    const side = b.done || (!a.done && (b.waits !== undefined || a.part <= b.part)) ? "before" : "after";
    (side === "before" ? a : b).step();
    // What it waited for may be known now.
    if (side === "before" && (b.waits === "flow" || memory.groups.size > groups)) {
      groups = memory.groups.size;
      b.waits = undefined;
    }
    yield { answered: a.answered + b.answered, flows: a.flows + b.flows, side, known };
  }
  return known();
}

/**
 * What was observed speaks of the World that was read, and says nothing of one in which something is tried: held against that, what is
 * there is walked alone, too. Else an observation would look like a change.
 */
const asWalked = (before: SweepSide, after: SweepSide): SweepSide =>
  after.world === undefined || before.world !== undefined ? before : { ...before, world: { ...before.askable.world } };

const worldOf = ({ askable, world }: SweepSide): World => world ?? askable.world;

/**
 * Where the Worlds differ in some stacks and in nothing that is found from afar, what comes by none of these is as it was: the second side with the
 * stacks of the first where they are alike, and which are not. What is said of both sides by observations is walked anew.
 */
export function sharedWith(
  before: SweepSide,
  after: SweepSide,
): { readonly side: SweepSide; readonly changed: ReadonlySet<string> } | undefined {
  const silent = (side: SweepSide): boolean => side.world !== undefined || side.askable.evidence.isSilent;
  const alone = (side: SweepSide): boolean => side.world === undefined && side.askable.objectsAlone() !== undefined;
  if (alone(before) || alone(after) || !silent(before) || !silent(after)) return undefined;
  const [first, second] = [worldOf(before), worldOf(after)];
  const changed = changedStacks(first, second);
  if (changed === undefined) return undefined;
  const world = { ...second, stacks: second.stacks.map((s, i) => (changed.has(s.name) ? s : first.stacks[i]!)) };
  const side = after.world === undefined ? { ...after, askable: after.askable.sharing(world) } : { ...after, world };
  return { side, changed };
}

type Kept = Parameters<NonNullable<SweepOptions["kept"]>>[1];

/** One side while it is swept. */
class Walked {
  readonly #memory: Memory | undefined;
  /** What a side that takes no note for the other was asked. */
  readonly #asked = new Map<string, AskedInTurn>();
  /** Groups of which all flows keep their answer, and their classes. */
  readonly kept = new Map<string, Kept>();
  readonly #keptTargets: (readonly Target[])[] = [];
  readonly #walking: Generator<SweepProgress, Sweep>;
  #known: (() => Sweep) | undefined;
  done = false;
  waits: SweepProgress["waits"];
  answered = 0;
  flows = 0;
  /** Of a side that recalls what the other was answered. */
  readonly recalls: boolean;
  walks = 0;

  constructor({ askable, world }: SweepSide, wanted: Wanted, known: Pick<SweepOptions, "memory" | "recall"> = {}) {
    const askers = new Numbered<Source>();
    let last: { readonly group: string; readonly asked: AskedInTurn } | undefined;
    const member = (flow: Flow, id: string, group: string): void => {
      if (last?.group !== group) {
        last = { group, asked: new AskedInTurn(askers) };
        this.#asked.set(group, last.asked);
      }
      last.asked.add(flow, id);
    };
    const kept = (group: Group, classes: Kept): void => {
      this.kept.set(group.key, classes);
      this.#keptTargets.push(group.targets);
    };
    this.#memory = known.memory;
    this.recalls = known.recall !== undefined;
    const walked = (): void => void this.walks++;
    const told = { walked, kept, ...(known.memory === undefined && { member }) };
    this.#walking = sweep(askable, { ...wanted, ...told, ...known, ...(world && { world }) });
  }

  /** Of each group every flow in its turn, and its class. */
  get asked(): ReadonlyMap<string, Asked> {
    if (this.#memory === undefined) return this.#asked;
    const all = [...this.#memory.groups].map(([key, { flows, classes, classOf }]): [string, Asked] => {
      return [key, { flows, idAt: (turn) => classes[classOf[turn]!]!.id }];
    });
    return new Map(all);
  }

  /** The Service of each flow that asks one. */
  get services(): ReadonlySet<string> {
    const found = new Set<string>();
    const all = [...this.#keptTargets];
    for (const { flows } of this.asked.values()) all.push(flows.targets);
    for (const targets of all)
      for (const { kind, name } of targets) if (name !== null && kind !== "pod" && kind !== "kubelet") found.add(name);
    return found;
  }

  get part(): number {
    return this.flows === 0 ? 0 : this.answered / this.flows;
  }

  get sweep(): Sweep {
    return this.#known?.() ?? { classes: [], flows: this.flows, answered: 0, walks: 0 };
  }

  step(): void {
    const step = this.#walking.next();
    if (step.done === true) this.done = true;
    this.waits = step.done === true ? undefined : step.value.waits;
    const { value } = step;
    this.answered = value.answered;
    this.flows = value.flows;
    this.#known = step.done === true ? () => step.value : step.value.known;
  }
}

function laidBeside(a: Walked, b: Walked): SweepChanges {
  const classesA = new Map(a.sweep.classes.map((c) => [c.id, c]));
  const classesB = new Map(b.sweep.classes.map((c) => [c.id, c]));
  // Of a side that was stopped nobody can say what it does not have.
  const pairs = new Map<string, { readonly before: SweptClass; readonly after: SweptClass; flows: number }>();
  const together = besideEachOther(a, b);
  let { flows, undetermined } = together.kept;
  for (const { before, after, flows: all } of together.pairs) {
    flows += all;
    if (classesB.get(after)!.verdict === "undetermined") undetermined += all;
    const pair = `${before} ${after}`;
    const known = pairs.get(pair);
    if (known !== undefined) {
      known.flows += all;
      continue;
    }
    pairs.set(pair, { before: classesA.get(before)!, after: classesB.get(after)!, flows: all });
  }
  const changed = [...pairs].flatMap(([id, { before, after, flows: count }]): ChangedClass[] => {
    const direction = directionOf(before, after);
    if (direction === undefined) return [];
    const { from, to, proto, family, example } = before;
    return [
      { id, from, to, proto, family, example, direction, flows: count, before: short(before), after: short(after) },
    ];
  });
  const fresh = a.done ? together.fresh : [];
  return {
    flows,
    changed: changed.sort((x, y) => ORDER[x.direction] - ORDER[y.direction] || y.flows - x.flows),
    gone: b.done ? together.gone : 0,
    fresh: fresh.length,
    undetermined,
    lost: b.done ? lostOf(a.services, b.services) : [],
    freshFailing: fresh.filter((id) => fails(classesB.get(id)!)).length,
    complete: a.done && b.done,
    walks: { before: a.sweep.walks, after: b.recalls ? b.walks : b.sweep.walks },
  };
}

const lostOf = (before: ReadonlySet<string>, after: ReadonlySet<string>): readonly string[] =>
  [...before].filter((name) => !after.has(name)).sort();

/** The flows of a group in their turns, and how the class of each is called. */
interface Asked {
  readonly flows: FlowList;
  readonly idAt: (turn: number) => string;
}

class AskedInTurn implements Asked {
  readonly flows: FlowList;
  readonly #ids: string[] = [];

  constructor(askers: Numbered<Source>) {
    this.flows = new FlowList(askers);
  }

  add(flow: Flow, id: string): void {
    this.flows.add(flow);
    this.#ids.push(id);
  }

  idAt(turn: number): string {
    return this.#ids[turn]!;
  }
}

/** Flows of one class before and one after. */
interface Together {
  readonly before: string;
  readonly after: string;
  readonly flows: number;
}

interface Beside {
  /** Of flows that both have. */
  readonly pairs: readonly Together[];
  /** Beside these, flows that keep their answer; and of how many of them it is that nobody knows. */
  readonly kept: { readonly flows: number; readonly undetermined: number };
  /** Flows that only the first has; classes of those that only the second has. */
  readonly gone: number;
  readonly fresh: readonly string[];
}

/** Group by group, in turn as long as both ask the same; what is left over by what is asked. */
function besideEachOther(a: Walked, b: Walked): Beside {
  const pairs: Together[] = [];
  const left = new Map<string, string>();
  const rest: { readonly asked: Asked; readonly from: number }[] = [];
  const kept = { flows: 0, undetermined: 0 };
  const [askedOfA, askedOfB] = [a.asked, b.asked];
  for (const [key, asked] of askedOfA) {
    const same = b.kept.get(key);
    if (same !== undefined) {
      for (const { flows, answer } of same) {
        kept.flows += flows;
        if (answer.verdict === "undetermined") kept.undetermined += flows;
      }
      continue;
    }
    const other = askedOfB.get(key);
    let at = 0;
    for (; other !== undefined && at < asked.flows.length && at < other.flows.length; at++) {
      if (!isSameFlow(asked.flows.at(at), other.flows.at(at))) break;
      const [before, after] = [asked.idAt(at), other.idAt(at)];
      const last = pairs.at(-1);
      if (last?.before === before && last.after === after) pairs[pairs.length - 1] = { ...last, flows: last.flows + 1 };
      else pairs.push({ before, after, flows: 1 });
    }
    rest.push({ asked, from: at });
    if (other !== undefined) leave(left, other, at);
  }
  for (const [key, other] of askedOfB) if (!askedOfA.has(key)) leave(left, other, 0);
  let gone = 0;
  for (const { asked, from } of rest)
    for (let turn = from; turn < asked.flows.length; turn++) {
      const key = askedKey(asked.flows.at(turn));
      const after = left.get(key);
      if (after === undefined) gone++;
      else {
        pairs.push({ before: asked.idAt(turn), after, flows: 1 });
        left.delete(key);
      }
    }
  return { pairs, kept, gone, fresh: [...left.values()] };
}

function leave(left: Map<string, string>, asked: Asked, from: number): void {
  for (let i = from; i < asked.flows.length; i++) left.set(askedKey(asked.flows.at(i)), asked.idAt(i));
}

const ORDER: Readonly<Record<Direction, number>> = { breaks: 0, worse: 1, open: 2, otherwise: 3, better: 4, heals: 5 };

const short = ({ verdict, clientSees, leaning, causes, facts, fix }: SweptClass): Answer => ({
  verdict,
  clientSees,
  leaning,
  causes,
  facts,
  fix,
});

/** From well to ill. */
const RANK = { reachable: 0, undetermined: 1, intermittent: 2, unreachable: 3 } as const;

function directionOf(before: Answer, after: Answer): Direction | undefined {
  if (before.verdict !== after.verdict) {
    if (after.verdict === "undetermined") return "open";
    const worse = RANK[after.verdict] > RANK[before.verdict];
    if (worse) return before.verdict === "reachable" ? "breaks" : "worse";
    return after.verdict === "reachable" && before.verdict !== "undetermined" ? "heals" : "better";
  }
  const cause = (answer: Answer): string => answer.causes[0]?.code ?? "";
  return before.clientSees !== after.clientSees || cause(before) !== cause(after) ? "otherwise" : undefined;
}
