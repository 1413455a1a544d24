import { applyPatch, type Patched } from "../assemble/index.ts";
import type { World } from "../model/index.ts";
import { type Exploration, judge, type Question, trace } from "../trace/index.ts";
import { lineOf } from "./commands.ts";
import type { Candidate, Command, Proof } from "./fix.ts";

/** A change may make chances multiply; what needs more walks than this is not proved. */
const MAX_RUNS = 2_000;

const typed = (c: Command): string => (c.stack === "" ? lineOf(c) : `${c.stack}: ${lineOf(c)}`);

/** A World with a candidate applied; undefined where a command of it is refused. */
export function applied(world: World, { commands, outside }: Candidate): Patched | undefined {
  const patched = applyPatch(world, commands.map(typed));
  if (patched.problems.length > 0) return undefined;
  return outside === undefined ? patched : { ...patched, world: outside.change(patched.world) };
}

/** The asked flow under a candidate. Hosts that were made up for the walk belong to the World it is tried in, too. */
export function walkWith(
  exploration: Exploration,
  question: Question,
  candidate: Candidate,
  runs = MAX_RUNS,
): Tried | undefined {
  const patched = applied(exploration.world, candidate);
  if (patched === undefined) return undefined;
  let walked: Exploration | undefined;
  const recorded = (): Exploration => {
    walked ??= walkAgain(exploration, patched.world, question, runs);
    return walked;
  };
  return { patched, after: walkAgain(exploration, patched.world, question, runs, false), recorded };
}

/** A change tried: most only to learn where the flow ends then, and of most nobody wants to know more. */
export interface Tried {
  readonly patched: Patched;
  /** Without steps. */
  readonly after: Exploration;
  /** The same walk with its steps. */
  readonly recorded: () => Exploration;
}

/** Walks a changed World in the hypotheses that have survived so far; those that were ruled out stay out. */
export function walkAgain(
  before: Exploration,
  world: World,
  question: Question,
  runs = MAX_RUNS,
  record = true,
): Exploration {
  const after = trace(world, question, { fixed: before.fixed, runs, after: before, record });
  const left = new Map(before.facts.map((f) => [f.id, new Set(f.values)]));
  const survives = (id: string, values: readonly string[]): boolean => {
    const allowed = left.get(id);
    return allowed === undefined || values.some((v) => allowed.has(v));
  };
  return {
    ...after,
    facts: after.facts.map((f) => ({ ...f, values: f.values.filter((v) => left.get(f.id)?.has(v) !== false) })),
    branches: after.branches.filter((b) => [...b.hypothesis].every(([id, values]) => survives(id, values))),
  };
}

export const provenBy = (
  after: Exploration,
  flows: Pick<Proof, "flowsChecked" | "flowsBounded" | "flowsChanged">,
): Proof => {
  const judgement = judge(after);
  return { verdict: judgement.verdict, judgement, exploration: after, ...flows };
};
