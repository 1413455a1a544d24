import { agrees } from "../../evidence/index.ts";
import type { Sees } from "../../model/index.ts";
import { type ClientSees, type Exploration, type Judgement, judge, type Question, trace } from "../../trace/index.ts";
import type { RestsOn } from "./rests-on.ts";

/** Things nobody showed which, all of them otherwise at once, let the client see what it sees. */
export interface Explanation {
  readonly facts: readonly RestsOn[];
  readonly clientSees: ClientSees | null;
}

export interface Explanations {
  /** All of one size, the smallest that there is; likeliest first. */
  readonly sets: readonly Explanation[];
  /** The one command that tells most of them apart. */
  readonly command: string;
  /** On which machine; absent: it does not matter. */
  readonly node?: string;
}

/** Facts that are tried together, by the size of the set: 28 pairs, 20 triples. */
const POOL: Readonly<Record<number, number>> = { 2: 8, 3: 6 };
/** As many ways for the flow to go as a trial may cost. */
const MAX_RUNS = 500;

/**
 * The asker says that it fails, and the walk delivers: which fewest of the things that nobody showed would have to be otherwise? One thing
 * that explains it all is likelier than several, so larger sets are tried only where no smaller one does.
 */
export function explanationsOf(
  question: Question,
  { world, fixed }: Exploration,
  rests: readonly RestsOn[],
  sees: Sees | undefined,
): Explanations | undefined {
  if (sees === undefined || sees === "works") return undefined;
  const inPart = (judged: Pick<Judgement, "verdict" | "clientSees">): boolean =>
    judged.verdict !== "undetermined" && agrees(sees, judged);
  // What fails at times explains that it fails only in part.
  const mixed = agrees(sees, { verdict: "intermittent", clientSees: null }) && !agrees(sees, ALWAYS);
  const explains = (judged: Pick<Judgement, "verdict" | "clientSees">): boolean =>
    inPart(judged) && (mixed || judged.verdict !== "intermittent");
  const alone = (enough: typeof explains): readonly Explanation[] =>
    rests.filter((r) => enough(r.otherwise)).map((r) => ({ facts: [r], clientSees: r.otherwise.clientSees }));
  const whole = alone(explains);
  if (whole.length > 0) return told(whole);
  for (const size of [2, 3]) {
    const found = combinations(rests.slice(0, POOL[size]), size).flatMap((facts): readonly Explanation[] => {
      const given = new Map([...fixed, ...facts.map(({ id, values }) => [id, values[1]] as const)]);
      const judged = judge(trace(world, question, { fixed: given, runs: MAX_RUNS, record: false }));
      return explains(judged) ? [{ facts, clientSees: judged.clientSees }] : [];
    });
    if (found.length > 0) return told(found);
  }
  const partly = alone(inPart);
  return partly.length > 0 ? told(partly) : undefined;
}

const ALWAYS = { verdict: "unreachable", clientSees: null } as const;

/** Every choice of so many, those of the first first. */
function combinations<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  if (size === 0) return [[]];
  return items.flatMap((item, at) => combinations(items.slice(at + 1), size - 1).map((rest) => [item, ...rest]));
}

const told = (sets: readonly Explanation[]): Explanations => {
  const { command, node } = splitting(sets);
  return { sets, command, ...(node !== undefined && { node }) };
};

const isSameCommand = (a: RestsOn, b: RestsOn): boolean => a.command === b.command && a.node === b.node;

/** What it settles is in about half of them, so that either answer leaves the fewest; of equals, the likelier one's. */
function splitting(sets: readonly Explanation[]): RestsOn {
  const facts = sets.flatMap((s) => s.facts);
  const off = (fact: RestsOn): number =>
    Math.abs(sets.filter((s) => s.facts.some((f) => isSameCommand(f, fact))).length - sets.length / 2);
  return facts.reduce((best, fact) => (off(fact) < off(best) ? fact : best));
}

/** As `--assume` takes each of them. */
export const setText = ({ facts }: Explanation): string => facts.map((f) => `${f.id}=${f.values[1]}`).join(" + ");
