import { type Branch, type Exploration, endsKey, hypothesesOf, judge, type Verdict } from "../trace/index.ts";

/** More hypotheses than this are not told apart. */
const MAX = 256;

/** One way the open facts may be, the branches chance makes of it, and what becomes of the packet. */
export interface Hypothesis {
  readonly assignment: ReadonlyMap<string, string>;
  readonly branches: readonly Branch[];
  readonly verdict: Verdict;
  /** In short: equal texts need not be told apart. */
  readonly fate: string;
}

/** Every hypothesis that some branch lives under. Undefined where there are too many. */
export function fatesOf(exploration: Exploration): readonly Hypothesis[] | undefined {
  const all = hypothesesOf(exploration);
  if (all === undefined || all.length > MAX) return undefined;
  return all
    .filter((h) => h.branches.length > 0)
    .map(({ assignment, branches }) => ({
      assignment,
      branches,
      verdict: verdictOf(exploration, branches),
      fate: endsKey(branches),
    }));
}

const verdictOf = (exploration: Exploration, branches: readonly Branch[]): Verdict =>
  judge({ ...exploration, facts: [], branches: branches.map((b) => ({ ...b, hypothesis: new Map() })) }).verdict;
