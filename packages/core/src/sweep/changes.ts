import type { Askable } from "../diagnose/index.ts";
import type { World } from "../model/index.ts";
import type { Answer } from "./answer.ts";
import { askedOf, type Flow, type Wanted } from "./plan.ts";
import { type SweepProgress, sweep } from "./sweep.ts";
import type { Sweep, SweptClass } from "./swept.ts";

/** One side of a comparison: a snapshot, or a snapshot with something changed in it. */
export interface SweepSide {
  readonly askable: Askable;
  readonly world?: World;
}

export type Direction = "breaks" | "heals" | "worse" | "better" | "otherwise";

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
  readonly complete: boolean;
}

const flowKey = (flow: Flow): string => {
  const { from, to, proto, node = "" } = askedOf(flow);
  return `${flow.source.kind === "endpoint" ? "pod" : flow.source.kind} ${from} ${to} ${proto} ${node}`;
};

/** Sweeps both sides and lays them beside each other, flow by flow. */
export function* compareSweeps(
  before: SweepSide,
  after: SweepSide,
  wanted: Wanted,
): Generator<Pick<SweepProgress, "answered" | "flows">, SweepChanges> {
  const a = yield* swept(before, wanted);
  const b = yield* swept(after, wanted);
  return laidBeside(a, b);
}

interface Side {
  readonly sweep: Sweep;
  /** The class of each flow. */
  readonly members: ReadonlyMap<string, string>;
}

function* swept({ askable, world }: SweepSide, wanted: Wanted): Generator<SweepProgress, Side> {
  const members = new Map<string, string>();
  const member = (flow: Flow, id: string): void => {
    members.set(flowKey(flow), id);
  };
  const found = yield* sweep(askable, { ...wanted, member, ...(world !== undefined && { world }) });
  return { sweep: found, members };
}

function laidBeside(a: Side, b: Side): SweepChanges {
  const classesA = new Map(a.sweep.classes.map((c) => [c.id, c]));
  const classesB = new Map(b.sweep.classes.map((c) => [c.id, c]));
  const pairs = new Map<string, { readonly before: SweptClass; readonly after: SweptClass; flows: number }>();
  let flows = 0;
  let gone = 0;
  for (const [key, id] of a.members) {
    const other = b.members.get(key);
    if (other === undefined) {
      gone++;
      continue;
    }
    flows++;
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
  const fresh = [...b.members.keys()].filter((key) => !a.members.has(key)).length;
  return {
    flows,
    changed: changed.sort((x, y) => ORDER[x.direction] - ORDER[y.direction] || y.flows - x.flows),
    gone,
    fresh,
    complete: a.sweep.answered === a.sweep.flows && b.sweep.answered === b.sweep.flows,
  };
}

const ORDER: Readonly<Record<Direction, number>> = { breaks: 0, worse: 1, otherwise: 2, better: 3, heals: 4 };

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
    const worse = RANK[after.verdict] > RANK[before.verdict];
    if (worse) return before.verdict === "reachable" && after.verdict !== "undetermined" ? "breaks" : "worse";
    return after.verdict === "reachable" && before.verdict !== "undetermined" ? "heals" : "better";
  }
  const cause = (answer: Answer): string => answer.causes[0]?.code ?? "";
  return before.clientSees !== after.clientSees || cause(before) !== cause(after) ? "otherwise" : undefined;
}
