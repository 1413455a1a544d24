import { agrees, type SettledFact } from "../evidence/index.ts";
import { type ClaimedCause, explain, inOrder, signs } from "../explain/index.ts";
import { type Text, text } from "../messages/index.ts";
import type { Fix } from "../remedy/index.ts";
import { type Judgement, judge } from "../trace/index.ts";
import type { Askable, Asked, QuestionOptions } from "./askable.ts";
import { type ToldJudgement, withChecks } from "./checks.ts";
import { fixesFor, type Tried } from "./fixes.ts";
import { explainingFirst, leaning, type RestsOn, restsOn } from "./rests-on.ts";
import { weigh } from "./weigh.ts";

/** What `diagnose` found: the question, the verdict, its causes, what helps, and what each patch does that was tried. */
export interface Diagnosis {
  readonly asked: Asked;
  readonly judgement: ToldJudgement;
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
}

/** The main job, as one pure call: the walk, what was seen of the flow, the verdict over both, and why. */
export function diagnose(askable: Askable, options: QuestionOptions, patches: readonly string[] = []): Diagnosis {
  const { asked, settled: seen, decisiveFacts, cap } = weigh(askable, askable.settled(askable.ask(options), options));
  const settled = [...(asked.settled ?? []), ...seen];
  const judged = judge(asked.exploration);
  const look = askable.look(asked);
  const suspected = look === undefined ? [] : signs(look);
  const doubts = suspected.map((c) => text("evidence.suspected", { code: c.code, what: c.summary }));
  const unexplained = judged.verdict === "reachable" ? [...askable.unexplained(asked), ...doubts] : [];
  const fails = judged.verdict === "unreachable";
  const [worked, answered] = fails ? [askable.successes(asked), askable.answers(asked)] : [[], []];
  const denied =
    judged.verdict === "reachable" ? [] : [...deniedByAsker(asked, judged), ...askable.disagreements(asked)];
  const contradictions = fails ? [...worked, ...answered, ...denied] : [...unexplained, ...denied];
  // Seen to work, any cause is doubtful; answered where the walk loses the request, seen to fail otherwise, or walked through one of
  // two dumps that disagree, its account of it.
  const disputed = answered.length > 0 || denied.length > 0;
  const most = worked.length > 0 ? "possible" : disputed && cap === "proven" ? "inferred" : cap;
  const delivers = judged.verdict === "reachable" && asked.question !== undefined;
  // Seen to work, the one way there is needs no ground; of several ways it says nothing.
  const shown = asked.exploration.branches.length === 1 && askable.successes(asked).length > 0;
  const rests = delivers && !shown ? explainingFirst(restsOn(asked.question, asked.exploration), asked.spec.sees) : [];
  const verdict: Judgement =
    unexplained.length > 0 ? doubted(judged, askable.showsBoth(asked)) : rests.length > 0 ? leaning(judged) : judged;
  const found = asked.question === undefined ? [] : explain(asked.question, asked.exploration, judged, most);
  const causes = inOrder([...found, ...suspected]);
  const open = { ...verdict, decisiveFacts: [...verdict.decisiveFacts, ...decisiveFacts] };
  const judgement = withChecks(open, causes);
  const { fixes, tried } = fixesFor(askable, asked, judged, causes, patches);
  return { asked, judgement, causes, contradictions, settled, fixes, tried, restsOn: rests };
}

/** The walk fails, and the client sees something else than it would by the walk. */
function deniedByAsker({ spec: { sees } }: Asked, judged: Judgement): readonly Text[] {
  if (sees === undefined || sees === "works" || agrees(sees, judged)) return [];
  const walked = judged.clientSees === null ? text(`verdict.${judged.verdict}`) : text(`sees.${judged.clientSees}`);
  return [text("asker.disagrees", { word: text(`asker.${sees}`), sees: walked })];
}

/** A walk that delivers is not the last word where loss was seen that it does not explain. */
const doubted = (judged: Judgement, both: boolean): Judgement => ({
  ...judged,
  verdict: both ? "intermittent" : "undetermined",
  reachableShare: null,
  clientSees: null,
});
