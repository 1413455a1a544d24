import type { World } from "../model/index.ts";
import type { Exploration, Judgement, Question } from "../trace/index.ts";
import { breadthOf } from "./breadth.ts";
import { costsOf } from "./costs.ts";
import type { Fix } from "./fix.ts";
import type { Flow } from "./flows.ts";
import { lastingOf } from "./lasting.ts";
import { applied, FlowBook, provenBy } from "./proof.ts";
import { search, type Trial } from "./search.ts";
import { undoStep } from "./undo/index.ts";

export { REMEDIES } from "./catalogue.ts";
export type { Candidate, Fix, FlowChange, Lasting, Proof, Remedy } from "./fix.ts";
export type { Flow } from "./flows.ts";

/** Fixes that are proved in full; the rest of what works is not worth the wait. */
const MAX_FIXES = 6;
const MAX_PARTLY = 2;

/** A flow that was asked, the World it was asked of, and what came out. */
export interface Case {
  /** As it was assembled; hosts that the walk made up are in the exploration's. */
  readonly world: World;
  readonly question: Question;
  readonly exploration: Exploration;
  readonly judgement: Judgement;
  /** The asked flow as it was asked, and flows whose fate somebody stated. */
  readonly asked?: Flow;
  readonly controls?: readonly Flow[];
}

/** Fixes for what does not work, each proved by walking again, those with the smallest blast radius first. */
export function proposeFixes(given: Case): readonly Fix[] {
  const { world, question, exploration, judgement, asked, controls = [] } = given;
  if (judgement.verdict === "reachable") return [];
  const { working, partly } = search(question, exploration);
  const book = new FlowBook(world, exploration, asked, controls);
  const chosen = working.length > 0 ? working.slice(0, MAX_FIXES) : partly.slice(0, MAX_PARTLY);
  return chosen.map((trial) => fixOf(given, book, trial)).sort(smallestFirst);
}

/** A trial as it is told: proof, way back, lasting form and costs. */
export function fixOf({ world, exploration }: Case, book: FlowBook, trial: Trial): Fix & { readonly rank: number[] } {
  const { candidate, cures, patched, after } = trial;
  const proof = provenBy(after, book.changes(candidate));
  const steps = (applied(world, candidate) ?? patched).steps;
  const nodes = world.stacks.filter((s) => s.kind === "node");
  const show = (stack: string, line: string): string =>
    nodes.length === 1 && nodes[0]!.name === stack ? line : `${stack}: ${line}`;
  const undone = [...steps].reverse().map((s) => ({ stack: s.before.name, ...undoStep(s) }));
  const unknown = undone.flatMap((u) => u.unknown);
  const { outside } = candidate;
  const where = [...new Set(candidate.commands.map((c) => c.stack))];
  const broken = proof.flowsChanged.filter((f) => f.before === "reachable" && f.after !== "reachable").length;
  return {
    code: candidate.code,
    summary: candidate.summary,
    cures,
    where: outside === undefined ? where : [...where, outside.where],
    commands: candidate.commands.map((c) => show(c.stack, c.line)),
    undo: undone.flatMap((u) => u.commands.map((line) => show(u.stack, line))),
    lasting: [...(candidate.lasting ?? []), ...lastingOf(steps)],
    costs: [...costsOf(exploration, proof, steps, unknown), ...(candidate.notes ?? [])],
    proof,
    rank: [
      Number(proof.verdict !== "reachable"),
      broken,
      Number(outside !== undefined),
      breadthOf(steps),
      where.length,
      proof.flowsChanged.length,
      candidate.commands.length,
    ],
  };
}

const smallestFirst = (a: { readonly rank: readonly number[] }, b: { readonly rank: readonly number[] }): number => {
  for (const [i, n] of a.rank.entries()) if (n !== b.rank[i]) return n - (b.rank[i] ?? 0);
  return 0;
};
