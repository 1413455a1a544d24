import { applyPatch } from "../assemble/index.ts";
import type { Text } from "../messages/index.ts";
import type { Origin } from "../model/index.ts";
import {
  type Branch,
  decisiveLeg,
  type Exploration,
  type Judgement,
  judge,
  type Question,
  trace,
} from "../trace/index.ts";
import { CAUSES } from "./catalogue.ts";
import type { Certainty, Check, Finding, Scene } from "./cause.ts";

export { CAUSES } from "./catalogue.ts";
export type { Cause, Certainty, Check, Finding } from "./cause.ts";
export { type ShownCounter, suspicions } from "./suspicions.ts";

/** A cause as it is claimed. */
export interface ClaimedCause {
  readonly code: string;
  readonly certainty: Certainty;
  readonly direction: "request" | "reply";
  readonly stack: string;
  readonly step: string;
  readonly drop: string | null;
  readonly summary: Text;
  readonly evidence: readonly Origin[];
  /** The one change that takes it away, where it can be tried in the World. */
  readonly without?: readonly string[];
  /** What would settle it, where it is not proven. */
  readonly check?: Check;
}

const RANK: Readonly<Record<Certainty, number>> = { proven: 0, inferred: 1, possible: 2 };

/**
 * Why the flow does not work. A cause is `proven` when taking it away, and nothing else, makes the flow work in every
 * hypothesis; `inferred` when the walk shows it and it cannot be tried, or something was taken for granted that it rests
 * on; `possible` when it holds in some hypothesis only.
 */
export function explain(question: Question, exploration: Exploration, judgement: Judgement): readonly ClaimedCause[] {
  if (judgement.verdict === "reachable") return [];
  const claims = new Map<string, { claim: ClaimedCause; root: boolean; share: number }>();
  for (const branch of exploration.branches) {
    const leg = decisiveLeg(branch);
    if (branch.clientSees === "connected" || leg.disposition === "undetermined") continue;
    const scene: Scene = {
      world: exploration.world,
      question,
      branch,
      leg,
      direction: leg === branch.reply ? "reply" : "request",
      stack: exploration.world.stacks.find((s) => s.name === leg.stack),
    };
    for (const finding of CAUSES.flatMap((c) => c.detect(scene))) {
      const key = `${finding.code} ${finding.stack}`;
      const known = claims.get(key);
      if (known !== undefined) {
        known.share += branch.share;
        continue;
      }
      const certainty = certaintyOf(question, exploration, judgement, finding, branch);
      const { code, summary, stack, evidence, without, check } = finding;
      const claim = {
        code,
        certainty,
        direction: scene.direction,
        stack,
        step: leg.step,
        drop: leg.drop,
        summary,
        evidence,
        ...(without !== undefined && { without }),
        ...(check !== undefined && { check }),
      };
      claims.set(key, { claim, root: finding.root, share: branch.share });
    }
  }
  return [...claims.values()]
    .sort(
      (a, b) =>
        RANK[a.claim.certainty] - RANK[b.claim.certainty] || Number(b.root) - Number(a.root) || b.share - a.share,
    )
    .map((c) => c.claim);
}

function certaintyOf(
  question: Question,
  exploration: Exploration,
  judgement: Judgement,
  finding: Finding,
  branch: Branch,
): Certainty {
  if (judgement.verdict === "undetermined") return "possible";
  const partial = exploration.world.stacks.some(
    (s) =>
      s.assumed === undefined &&
      branch.request.steps.some((st) => st.stack === s.name) &&
      s.netfilter.tables.some((t) => t.extent === "partial"),
  );
  if (finding.without === undefined || partial) return "inferred";
  // Hosts that were made up for the walk belong to the World it is tried in, too.
  const patched = applyPatch(exploration.world, finding.without);
  if (patched.problems.length > 0) return "inferred";
  const after = judge(trace(patched.world, question, { fixed: exploration.fixed }));
  return after.verdict === "reachable" ? "proven" : "inferred";
}
