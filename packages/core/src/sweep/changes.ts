import type { Askable } from "../diagnose/index.ts";
import type { World } from "../model/index.ts";
import type { Answer } from "./answer.ts";
import { askedOf, type Flow, type Wanted } from "./plan.ts";
import { type SweepProgress, sweep } from "./sweep.ts";
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
}

const askedKey = (flow: Flow): string => {
  const { from, to, proto, node = "" } = askedOf(flow);
  return `${flow.source.kind === "endpoint" ? "pod" : flow.source.kind} ${from} ${to} ${proto} ${node}`;
};

export interface CompareProgress {
  readonly answered: number;
  readonly flows: number;
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
  const [a, b] = [new Walked(before, wanted), new Walked(after, wanted)];
  const known = (): SweepChanges => laidBeside(a, b);
  while (!a.done || !b.done) {
    if (b.done || (!a.done && a.part <= b.part)) a.step();
    else b.step();
    yield { answered: a.answered + b.answered, flows: a.flows + b.flows, known };
  }
  return known();
}

/** One side while it is swept. */
class Walked {
  /** The class of each flow. */
  readonly members = new Map<string, string>();
  /** The Service of each flow that asks one. */
  readonly services = new Set<string>();
  readonly #walking: Generator<SweepProgress, Sweep>;
  #known: (() => Sweep) | undefined;
  done = false;
  answered = 0;
  flows = 0;

  constructor({ askable, world }: SweepSide, wanted: Wanted) {
    const member = (flow: Flow, id: string): void => {
      this.members.set(askedKey(flow), id);
      const { kind, name } = flow.target;
      if (name !== null && kind !== "pod" && kind !== "kubelet") this.services.add(name);
    };
    this.#walking = sweep(askable, { ...wanted, member, ...(world !== undefined && { world }) });
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
  let flows = 0;
  let gone = 0;
  let undetermined = 0;
  for (const [key, id] of a.members) {
    const other = b.members.get(key);
    if (other === undefined) {
      if (b.done) gone++;
      continue;
    }
    flows++;
    if (classesB.get(other)!.verdict === "undetermined") undetermined++;
    const pair = `${id} ${other}`;
    const known = pairs.get(pair);
    if (known !== undefined) {
      known.flows++;
      continue;
    }
    pairs.set(pair, { before: classesA.get(id)!, after: classesB.get(other)!, flows: 1 });
  }
  const changed = [...pairs].flatMap(([id, { before, after, flows: count }]): ChangedClass[] => {
    const direction = directionOf(before, after);
    if (direction === undefined) return [];
    const { from, to, proto, family, example } = before;
    return [
      { id, from, to, proto, family, example, direction, flows: count, before: short(before), after: short(after) },
    ];
  });
  const fresh = a.done ? [...b.members].filter(([key]) => !a.members.has(key)) : [];
  return {
    flows,
    changed: changed.sort((x, y) => ORDER[x.direction] - ORDER[y.direction] || y.flows - x.flows),
    gone,
    fresh: fresh.length,
    undetermined,
    lost: b.done ? [...a.services].filter((name) => !b.services.has(name)).sort() : [],
    freshFailing: fresh.filter(([, id]) => fails(classesB.get(id)!)).length,
    complete: a.done && b.done,
  };
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
