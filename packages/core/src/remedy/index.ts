import type { Case } from "./case.ts";
import type { Fix } from "./fix.ts";
import { fixOf } from "./fix-of.ts";
import { FlowBook } from "./flow-book.ts";
import { search, searchSuspected } from "./search.ts";
import { judgeTyped, type TypedFix } from "./typed/index.ts";

export type { Case } from "./case.ts";
export { REMEDIES } from "./catalogue.ts";
export type { Candidate, Fix, FlowChange, Lasting, PlacedLine, Proof, Remedy } from "./fix.ts";
export type { Flow } from "./flows.ts";
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

const smallestFirst = (a: { readonly rank: readonly number[] }, b: { readonly rank: readonly number[] }): number => {
  for (const [i, n] of a.rank.entries()) if (n !== b.rank[i]) return n - (b.rank[i] ?? 0);
  return 0;
};
