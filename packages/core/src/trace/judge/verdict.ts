import { parseFactId } from "../../model/index.ts";
import { type Branch, type ClientSees, decisiveLeg, type Exploration } from "../explore/branch.ts";
import { mayPass } from "./may-pass.ts";

export type Verdict = "reachable" | "unreachable" | "intermittent" | "undetermined";

export interface Judgement {
  readonly verdict: Verdict;
  /** Null where hypotheses differ. */
  readonly reachableShare: number | null;
  readonly clientSees: ClientSees | null;
  readonly decisiveFacts: readonly DecisiveFact[];
  /** With `undetermined`: nothing shown stops it, but the walk rests on what nobody showed. */
  readonly leaning?: "reachable";
}

/** An open fact whose value decides the verdict. */
export interface DecisiveFact {
  /** Its id, as `--assume` takes it. */
  readonly fact: string;
  readonly outcomes: readonly { readonly value: string; readonly verdict: Verdict }[];
}

/** Products of facts beyond this are not enumerated; the verdict is undetermined anyway. */
const MAX_ASSIGNMENTS = 4096;

/**
 * The verdict over all branches of all hypotheses: equal everywhere, that one; otherwise undetermined. `lost`: the flow was seen to fail
 * and never to work, so that a failure which rests on something unshown is one all the same.
 */
export function judge(exploration: Exploration, lost = false): Judgement {
  const { facts } = exploration;
  const judged = hypothesesOf(exploration)?.map(({ assignment, branches }) => ({
    assignment,
    ...judgeBranches(branches, exploration, lost),
  }));
  const first = judged?.[0];
  if (judged === undefined || first === undefined)
    return { verdict: "undetermined", reachableShare: null, clientSees: null, decisiveFacts: [] };
  const same = judged.every((j) => j.verdict === first.verdict);
  if (same) {
    const share = judged.every((j) => j.share === first.share) ? first.share : null;
    const sees = judged.every((j) => j.sees === first.sees) ? first.sees : null;
    return { verdict: first.verdict, reachableShare: share, clientSees: sees, decisiveFacts: [] };
  }
  const decisiveFacts = facts.flatMap((fact) => {
    const outcomes = fact.values.map((value) => {
      const verdicts = new Set(judged.filter((j) => j.assignment.get(fact.id) === value).map((j) => j.verdict));
      return { value, verdict: verdicts.size === 1 ? [...verdicts][0]! : ("undetermined" as const) };
    });
    return decides(fact.id, judged) ? [{ fact: fact.id, outcomes }] : [];
  });
  const open: Judgement = { verdict: "undetermined", reachableShare: null, clientSees: null, decisiveFacts };
  return judged.filter((j) => listens(j.assignment)).every((j) => j.verdict === "reachable")
    ? { ...open, leaning: "reachable" }
    : open;
}

/** Whether another value of this fact, and of it alone, changes the verdict of some hypothesis. */
function decides(
  id: string,
  judged: readonly { readonly assignment: ReadonlyMap<string, string>; readonly verdict: Verdict }[],
): boolean {
  const verdicts = new Map<string, Verdict>();
  return judged.some(({ assignment, verdict }) => {
    const others = [...assignment].map(([fact, value]) => (fact === id ? "" : value)).join("\n");
    const known = verdicts.get(others);
    verdicts.set(others, known ?? verdict);
    return known !== undefined && known !== verdict;
  });
}

/** Nobody showed whether somebody listens, and nothing that was shown is against it. */
const listens = (assignment: ReadonlyMap<string, string>): boolean =>
  [...assignment].every(([id, value]) => parseFactId(id)?.kind !== "listen" || value === "listening");

/** One value for every open fact, and the branches that may come of it. */
export interface Hypothesis {
  readonly assignment: ReadonlyMap<string, string>;
  readonly branches: readonly Branch[];
}

/** Every hypothesis that was walked; undefined where they are too many. */
export function hypothesesOf({ branches, facts, overflow }: Exploration): readonly Hypothesis[] | undefined {
  const assignments = facts.reduce((n, f) => n * f.values.length, 1);
  if (overflow || assignments > MAX_ASSIGNMENTS) return undefined;
  return [...assign(facts)].map((input) => ({
    assignment: input,
    branches: branches.filter((b) => [...b.hypothesis].every(([id, values]) => values.includes(input.get(id) ?? ""))),
  }));
}

function* assign(
  facts: Exploration["facts"],
  at = 0,
  provided: ReadonlyMap<string, string> = new Map(),
): Generator<ReadonlyMap<string, string>> {
  const fact = facts[at];
  if (fact === undefined) {
    yield provided;
    return;
  }
  for (const value of fact.values) yield* assign(facts, at + 1, new Map(provided).set(fact.id, value));
}

/** Fewer failures than this, of all source ports or choices, are a remark. */
const NEARLY_ALL = 0.9999;

/** Of failures that are as likely the longest to wait for is told. */
const FAILURES: readonly ClientSees[] = ["timeout", "stalled", "unreachable", "refused", "reset"];

/** The verdict of one hypothesis. */
function judgeBranches(
  branches: readonly Branch[],
  exploration: Exploration,
  lost: boolean,
): {
  readonly verdict: Verdict;
  readonly share: number | null;
  readonly sees: ClientSees | null;
} {
  const open = (b: Branch) => decisiveLeg(b).disposition === "undetermined" || (!lost && mayPass(exploration, b));
  if (branches.length === 0 || branches.some(open)) {
    return { verdict: "undetermined", share: null, sees: null };
  }
  const share = (test: (b: Branch) => boolean) => branches.filter(test).reduce((sum, b) => sum + b.share, 0);
  const works = round(share((b) => b.clientSees === "connected"));
  if (works >= 1) return { verdict: "reachable", share: 1, sees: "connected" };
  // One source port of thousands that fares otherwise is no loss that anybody sees: it is told beside the verdict.
  if (works >= NEARLY_ALL) return { verdict: "reachable", share: works, sees: "connected" };
  const failures = new Map<ClientSees, number>();
  for (const b of branches) {
    if (b.clientSees !== null && b.clientSees !== "connected")
      failures.set(b.clientSees, (failures.get(b.clientSees) ?? 0) + b.share);
  }
  const likely = [...failures].sort(
    ([a, x], [b, y]) => round(y) - round(x) || FAILURES.indexOf(a) - FAILURES.indexOf(b),
  );
  const sees = likely[0]?.[0] ?? null;
  return { verdict: works <= 0 ? "unreachable" : "intermittent", share: works, sees };
}

const round = (n: number): number => Math.round(n * 1e9) / 1e9;
