import type { Text } from "../messages/index.ts";
import type { World } from "../model/index.ts";
import { type Exploration, judge, type Question } from "../trace/index.ts";
import type { Case } from "./case.ts";
import type { FixCode } from "./code.ts";
import { lineOf } from "./commands.ts";
import type { Candidate, Command, Fix } from "./fix.ts";
import { fixOf } from "./fix-of.ts";
import { FlowBook } from "./flow-book.ts";
import { type Part, partsNamed } from "./named.ts";
import { walkWith } from "./proof.ts";
import { search, searchSuspected } from "./search.ts";
import { judgeTyped, type TypedFix } from "./typed/index.ts";

export type { Case } from "./case.ts";
export { REMEDIES } from "./catalogue.ts";
export type { Candidate, Fix, FlowChange, Lasting, PlacedLine, Proof, Remedy } from "./fix.ts";
export type { Flow } from "./flows.ts";
export type { Part } from "./named.ts";
export type { TypedFix } from "./typed/index.ts";

/** Fixes that are proved in full; the rest of what works is not worth the wait. */
const MAX_FIXES = 6;
const MAX_PARTLY = 2;

/** A patch as it was typed, or as case.yaml names it. */
export interface Typed {
  readonly patch: string;
  readonly commands: readonly string[];
}

/** What helps, and what typed patches do: the other flows are walked once for all of them. */
export function remedies(
  input: Case,
  typed: readonly Typed[],
): { readonly fixes: readonly Fix[]; readonly tried: readonly TypedFix[] } {
  const book = new FlowBook(input);
  const tried = typed.map(({ patch, commands }, i) => judgeTyped(input, patch, commands, book, typed.length - i + 1));
  return { fixes: proposeFixes(input, book), tried };
}

/** Fixes for what does not work, each proved by walking again, those with the smallest blast radius first. */
export function proposeFixes(supplied: Case, book: FlowBook = new FlowBook(supplied)): readonly Fix[] {
  const { question, exploration, judgement, causes = [] } = supplied;
  const { working, partly } =
    judgement.verdict === "reachable" ? { working: [], partly: [] } : search(supplied.world, question, exploration);
  const suspected =
    working.length > 0 || partly.length > 0 || causes.length === 0
      ? []
      : searchSuspected(question, exploration, causes);
  const chosen = working.length > 0 ? working.slice(0, MAX_FIXES) : [...partly.slice(0, MAX_PARTLY), ...suspected];
  return chosen.map((trial, i) => fixOf(supplied, book, trial, chosen.length - i)).sort(smallestFirst);
}

/** What was found for a flow: what cures it, or that nothing does; and what is said of why it fails. */
export interface NotedCure {
  readonly candidate: Candidate | null;
  readonly why: string;
}

/** What cured flows like the one that is asked: tried before anything is searched for. */
export class Cures {
  /** All that was found so far, in turn: what is tried next follows from it. */
  readonly notes: NotedCure[] = [];
  readonly #worked: Candidate[] = [];
  /** What was found to be beyond cure, by what is said of why. */
  readonly #hopeless = new Set<string>();

  /** Undefined: it has to be searched for. */
  tried(question: Question, exploration: Exploration, why: string): Candidate | null | undefined {
    if (this.#hopeless.has(why)) return null;
    const fewest = [...this.#worked].sort((a, b) => a.commands.length - b.commands.length);
    return fewest.find((candidate) => {
      const result = walkWith(exploration, question, candidate);
      return result !== undefined && judge(result.after).verdict === "reachable";
    });
  }

  note(noted: NotedCure): void {
    const { candidate, why } = noted;
    this.notes.push(noted);
    if (candidate === null) this.#hopeless.add(why);
    // Of two faults in a row others have but one.
    else for (const one of [...(candidate.of ?? []), candidate]) this.#keep(one);
  }

  #keep(candidate: Candidate): void {
    const at = this.#worked.findIndex((c) => JSON.stringify(c.commands) === JSON.stringify(candidate.commands));
    if (at >= 0) this.#worked.splice(at, 1);
    if (this.#worked.unshift(candidate) > MAX_TRIED) this.#worked.pop();
  }
}

const MAX_TRIED = 6;

/** What a flow is cured by. `names`: whom of the flow the commands speak of. */
export interface Cure {
  readonly code: string;
  readonly summary: Text;
  readonly commands: readonly string[];
  readonly names: readonly Part[];
}

/** They cure whoever comes by there, and take something from others. */
const LAST_RESORT: ReadonlySet<string> = new Set<FixCode>(["BRIDGE_NF_OFF", "UNBIND_ADDRESS"]);

/**
 * What cures the flow with the fewest commands, or cured others before; its effect on other flows is not walked. Of as many commands those that
 * speak of the fewest who take part: they cure others, too.
 */
export function cureOf(
  world: World,
  question: Question,
  exploration: Exploration,
  known: Cures,
  why: string,
): Cure | null {
  const named = (candidate: Candidate): readonly Part[] => partsNamed(candidate, question, exploration);
  let best = known.tried(question, exploration, why);
  if (best === undefined) {
    const { working } = search(world, question, exploration);
    const ranked = working.map(({ candidate }) => ({
      candidate,
      rank: [
        candidate.commands.length,
        Number(candidate.code.split("+").some((c) => LAST_RESORT.has(c))),
        named(candidate).length,
      ],
    }));
    best = ranked.sort(smallestFirst)[0]?.candidate ?? null;
    known.note({ candidate: best, why });
  }
  if (best === null) return null;
  const { code, summary, commands } = best;
  const several = world.stacks.filter((s) => s.kind === "node").length > 1;
  const line = (c: Command): string => (several && c.stack !== "" ? `${c.stack}: ${lineOf(c)}` : lineOf(c));
  return { code, summary, commands: commands.map(line), names: [...new Set(named(best))] };
}

const smallestFirst = (a: { readonly rank: readonly number[] }, b: { readonly rank: readonly number[] }): number => {
  for (const [i, n] of a.rank.entries()) if (n !== b.rank[i]) return n - (b.rank[i] ?? 0);
  return 0;
};
