import { applyCommands, commandLine, type StackCommand } from "../assemble/index.ts";
import {
  type Branch,
  decisiveLeg,
  type Exploration,
  hypothesesOf,
  type Judgement,
  judge,
  type Question,
  trace,
} from "../trace/index.ts";
import { CAUSES } from "./catalogue.ts";
import type { Certainty, ClaimedCause, Finding, Scene } from "./cause.ts";
import type { CauseCode } from "./code.ts";
import { rootLines } from "./root-lines.ts";

const RANK: Readonly<Record<Certainty, number>> = { proven: 0, inferred: 1, possible: 2 };

/** Faults in a row that are looked for, the first included. */
const MAX_DEPTH = 3;
/** Worlds that are walked to look behind a fault. */
const MAX_LOOKS = 8;

interface Claim {
  readonly finding: Finding;
  readonly scene: Scene;
  readonly branches: Branch[];
  /** 0: what the packet meets first. */
  depth: number;
  certainty: Certainty;
}

/** What becomes of the flow when one thing is changed. */
interface Intervention {
  readonly judgement: Judgement;
  /** The walk with its steps: only where another fault lies behind is it read. */
  readonly recorded: () => Exploration;
}

/**
 * Why the flow does not work. A cause is `proven` when taking it away, and nothing else, makes the flow work in every
 * hypothesis; `inferred` when the walk shows it and it cannot be tried, when another fault lies behind it, or something was
 * taken for granted that it rests on; `possible` when it holds in some hypothesis only. `cap`: what was seen does not let
 * anything be more certain than this.
 */
export function explain(
  question: Question,
  exploration: Exploration,
  judgement: Judgement,
  cap: Certainty = "proven",
): readonly ClaimedCause[] {
  const claims = new Map<string, Claim>();
  /** What the trial alone did not show: where a walk behind shows it, it lies where it was suspected first. */
  const suspected = new Map<string, number>();
  let looks = MAX_LOOKS;
  const look = (at: Exploration, judged: Judgement, depth: number, most: Certainty): void => {
    if (judged.verdict === "reachable") return;
    const found = findingsOf(question, at, depth);
    const tried = new Map<string, Intervention>();
    for (const claim of found) {
      const key = keyOf(claim.finding);
      if (claims.has(key)) continue;
      const after = claim.finding.without === undefined ? undefined : intervene(question, at, claim.finding.without);
      if (claim.finding.needsProof === true && after?.judgement.verdict !== "reachable") {
        if (!suspected.has(key)) suspected.set(key, depth);
        continue;
      }
      claim.certainty = atMost(most, certaintyOf(at, judged, claim, after));
      if (claim.certainty === "possible" && depth > 0) continue;
      claim.depth = suspected.get(key) ?? depth;
      claims.set(key, claim);
      if (after !== undefined) tried.set(key, after);
    }
    // Where one change cures it all, nothing lies behind.
    const cured = [...tried.values()].some((after) => after.judgement.verdict === "reachable");
    if (cured || depth + 1 >= MAX_DEPTH) return;
    // What lies behind: the same flow where the first fault is taken away.
    for (const after of tried.values()) {
      if (after.judgement.verdict === "reachable" || looks-- <= 0) continue;
      look(after.recorded(), after.judgement, depth + 1, atMost(most, "inferred"));
    }
  };
  look(exploration, judgement, 0, cap);
  const isBefore = ({ finding }: Claim): boolean => finding.needsProof === true || suspected.has(keyOf(finding));
  const all = [...claims.values()];
  const shares = sharesByCode(all);
  const share = ({ finding: { code } }: Claim): number => shares.get(code) ?? 0;
  return all
    .sort(
      (a, b) =>
        RANK[a.certainty] - RANK[b.certainty] ||
        a.depth - b.depth ||
        Number(b.finding.root) - Number(a.finding.root) ||
        // What only the trial shows lies before the place of death: that place is its symptom.
        Number(isBefore(b)) - Number(isBefore(a)) ||
        share(b) - share(a) ||
        // As likely: not by which of a load balancer's nodes was walked first.
        placeOf(a.finding.code) - placeOf(b.finding.code),
    )
    .map(claimed);
}

const placeOf = (code: CauseCode): number => CAUSES.findIndex((c) => c.codes.includes(code));

/** How likely it is to meet each code, on whichever stack. */
function sharesByCode(claims: readonly Claim[]): ReadonlyMap<CauseCode, number> {
  const branches = new Map<CauseCode, Set<Branch>>();
  for (const { finding, branches: own } of claims)
    branches.set(finding.code, new Set([...(branches.get(finding.code) ?? []), ...own]));
  const likely = (own: Iterable<Branch>): number => Math.round([...own].reduce((sum, b) => sum + b.share, 0) * 1e9);
  return new Map([...branches].map(([code, own]) => [code, likely(own)]));
}

/** By certainty; what is claimed twice is claimed once, as certain as it is. */
export function inOrder(causes: readonly ClaimedCause[]): readonly ClaimedCause[] {
  const sorted = [...causes].sort(
    (a, b) => RANK[a.certainty] - RANK[b.certainty] || Number(b.root === true) - Number(a.root === true),
  );
  const first = (c: ClaimedCause, i: number): boolean =>
    sorted.findIndex((o) => o.code === c.code && o.stack === c.stack) === i;
  // What is suspected of one code somewhere adds nothing to the same code shown by a walk.
  const known = new Set(sorted.filter((c) => c.certainty !== "possible").map((c) => c.code));
  return sorted.filter((c, i) => first(c, i) && !(c.certainty === "possible" && known.has(c.code)));
}

const keyOf = (finding: Finding): string => `${finding.code} ${finding.stack}`;

const atMost = (most: Certainty, certainty: Certainty): Certainty => (RANK[most] > RANK[certainty] ? most : certainty);

/** Every cause seen in any branch that fails, once, with the branches that show it. */
function findingsOf(question: Question, { branches, world }: Exploration, depth: number): readonly Claim[] {
  const found = new Map<string, Claim>();
  for (const branch of branches) {
    const leg = decisiveLeg(branch);
    if (branch.clientSees === "connected" || leg.disposition === "undetermined") continue;
    const scene: Scene = {
      world,
      question,
      branch,
      leg,
      direction: leg === branch.reply ? "reply" : "request",
      stack: world.stacks.find((s) => s.name === leg.stack),
    };
    for (const finding of CAUSES.flatMap((c) => c.detect(scene))) {
      const known = found.get(keyOf(finding));
      if (known === undefined)
        found.set(keyOf(finding), { finding, scene, branches: [branch], depth, certainty: "possible" });
      else known.branches.push(branch);
    }
  }
  return [...found.values()];
}

/** The same question in the World as it is after the change. Hosts that were made up for the walk belong to it, too. */
function intervene(question: Question, at: Exploration, commands: readonly StackCommand[]): Intervention | undefined {
  const { world, problems } = applyCommands(at.world, commands);
  if (problems.length > 0) return undefined;
  const walk = (record: boolean): Exploration => trace(world, question, { fixed: at.fixed, after: at, record });
  return { judgement: judge(walk(false)), recorded: () => walk(true) };
}

function certaintyOf(at: Exploration, judged: Judgement, claim: Claim, after: Intervention | undefined): Certainty {
  if (judged.verdict === "undetermined" || !holdsInAll(at, claim)) return "possible";
  if (claim.finding.most !== undefined && claim.finding.most !== "proven") return claim.finding.most;
  return after?.judgement.verdict === "reachable" && !restsOnParts(at, claim) ? "proven" : "inferred";
}

/** Whether every hypothesis has a branch that shows the cause. */
const holdsInAll = (at: Exploration, { branches }: Claim): boolean =>
  hypothesesOf(at)?.every((h) => h.branches.some((b) => branches.includes(b))) ?? false;

/** The unseen rest of a table is taken to be without effect: nothing that rests on it is proven. */
function restsOnParts({ world }: Exploration, { branches }: Claim): boolean {
  const crossed = new Set(branches.flatMap((b) => [...b.request.steps, ...(b.reply?.steps ?? [])].map((s) => s.stack)));
  return world.stacks.some(
    (s) => s.assumed === undefined && crossed.has(s.name) && s.netfilter.tables.some((t) => t.extent === "partial"),
  );
}

/** A name with control characters in it stands in no command that anybody should paste. */
function speakable(command: StackCommand): boolean {
  try {
    return commandLine(command) !== "";
  } catch {
    return false;
  }
}

function claimed({ finding, scene, certainty }: Claim): ClaimedCause {
  const { code, summary, stack, evidence, without, check } = finding;
  const { leg, direction } = scene;
  return {
    code,
    certainty,
    direction,
    stack,
    step: leg.step,
    drop: leg.drop,
    summary,
    evidence: [...rootLines(code, scene), ...evidence],
    ...(without?.every(speakable) && { without }),
    ...(check !== undefined && { check }),
  };
}
