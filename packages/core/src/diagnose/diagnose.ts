import type { SettledFact } from "../evidence/index.ts";
import { type ClaimedCause, explain, inOrder } from "../explain/index.ts";
import type { Text } from "../messages/index.ts";
import type { Fix } from "../remedy/index.ts";
import type { Askable } from "./askable.ts";
import { type FamilyAnswer, inBothFamilies } from "./both-families.ts";
import { type JudgementText, withChecks } from "./checks.ts";
import { fixesFor, type Tried } from "./fixes.ts";
import type { Inquiry } from "./inquiry.ts";
import { type Explanations, explanationsOf } from "./open/explanations.ts";
import { type NextCommand, nextCommand } from "./open/next-command.ts";
import { beyond, type RestsOn, restsOn } from "./open/rests-on.ts";
import type { QuestionOptions } from "./question-options.ts";
import { type Judged, verdictOf } from "./verdict-of.ts";

/** What `diagnose` found: the question, the verdict, its causes, what helps, and what each patch does that was tried. */
export interface Diagnosis {
  readonly inquiry: Inquiry;
  readonly judgement: JudgementText;
  readonly causes: readonly ClaimedCause[];
  /** Observations that the walk does not explain, or that could not be read. */
  readonly contradictions: readonly Text[];
  /** Open facts that what was seen decides. */
  readonly settled: readonly SettledFact[];
  /** Proposed and proved, those with the smallest blast radius first. */
  readonly fixes: readonly Fix[];
  readonly tried: readonly Tried[];
  /** What a walk that delivers rests on although nobody showed it, most doubtful first. */
  readonly restsOn: readonly RestsOn[];
  /** Which of these, otherwise, would let the client see what its asker says. */
  readonly explanations: Explanations | null;
  /** The one command to run first, where the answer is open. */
  readonly next: NextCommand | null;
  /** What the question itself puts outside, where that is not nothing. */
  readonly beyond: Text | null;
  /** Where both families were asked: the answer in each, the one that clients try first in front. */
  readonly families?: readonly FamilyAnswer[];
}

/** The main job, as one pure call. Of a name with addresses of both families both are asked. */
export function diagnose(askable: Askable, options: QuestionOptions, patches: readonly string[] = []): Diagnosis {
  const families = askable.families(options);
  if (families.length === 0) return diagnoseOne(askable, options, patches);
  const answers = families.map((family) => ({
    family,
    diagnosis: diagnoseOne(askable, { ...options, family }, patches),
  }));
  return answers.length === 1 ? answers[0]!.diagnosis : inBothFamilies(answers);
}

/** The walk, what was seen of the flow, the verdict over both, and why. */
function diagnoseOne(askable: Askable, options: QuestionOptions, patches: readonly string[]): Diagnosis {
  const judged = verdictOf(askable, options);
  const { inquiry, walked, verdict, contradictions, settled } = judged;
  const { question, exploration } = inquiry;
  const causes = causesOf(judged);
  const open = { ...verdict, decisiveFacts: [...verdict.decisiveFacts, ...judged.decisiveFacts] };
  const rests = judged.rests && question !== undefined ? restsOn(question, exploration, judged.sent) : [];
  const explanations =
    question === undefined ? undefined : explanationsOf(question, exploration, rests, inquiry.spec.sees);
  const { fixes, tried } = fixesFor(askable, inquiry, walked, causes, patches);
  const judgement = withChecks(open, causes);
  const ordered = explainingFirst(rests, explanations);
  const answer = { judgement, causes, restsOn: ordered, explanations: explanations ?? null, world: exploration.world };
  return {
    inquiry,
    judgement,
    causes,
    contradictions,
    settled,
    fixes,
    tried,
    beyond: question === undefined ? null : beyond(question, exploration, verdict),
    restsOn: ordered,
    next: nextCommand(answer),
    explanations: explanations ?? null,
  };
}

/** Why: what the walk shows, and what was seen gives away. */
export function causesOf({
  inquiry: { question, exploration },
  walked,
  most,
  suspected,
}: Judged): readonly ClaimedCause[] {
  const found = question === undefined ? [] : explain(question, exploration, walked, most);
  return withoutDrift(inOrder([...found, ...suspected]));
}

/** Causes that say of kube-proxy's being behind what it did not do. */
const BEHIND: ReadonlySet<string> = new Set(["STALE_ENDPOINT", "SERVICE_NOT_PROGRAMMED_HERE"]);

const withoutDrift = (causes: readonly ClaimedCause[]): readonly ClaimedCause[] =>
  causes.some((c) => BEHIND.has(c.code)) ? causes.filter((c) => c.code !== "KUBE_PROXY_DRIFT") : causes;

/** What would explain it comes first. */
function explainingFirst(rests: readonly RestsOn[], explanations: Explanations | undefined): readonly RestsOn[] {
  const named = new Set(explanations?.sets.flatMap((s) => s.facts));
  return [...rests.filter((r) => named.has(r)), ...rests.filter((r) => !named.has(r))];
}
