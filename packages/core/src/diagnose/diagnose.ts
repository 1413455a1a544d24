import type { SettledFact } from "../evidence/index.ts";
import { type ClaimedCause, explain, inOrder, signs } from "../explain/index.ts";
import { type Text, text } from "../messages/index.ts";
import { type Judgement, judge } from "../trace/index.ts";
import type { Askable, Asked, QuestionOptions } from "./askable.ts";
import { weigh } from "./weigh.ts";

/** What became of the flow under a patch that the user wanted tried. */
export interface Tried {
  readonly patch: string;
  readonly commands: readonly string[];
  readonly judgement: Judgement;
}

/** What `diagnose` found: the question, the verdict, its causes, and what became of the flow under each patch tried. */
export interface Diagnosis {
  readonly asked: Asked;
  readonly judgement: Judgement;
  readonly causes: readonly ClaimedCause[];
  /** Observations that the walk does not explain, or that could not be read. */
  readonly contradictions: readonly Text[];
  /** Open facts that what was seen decides. */
  readonly settled: readonly SettledFact[];
  readonly tried: readonly Tried[];
}

/** The main job, as one pure call: the walk, what was seen of the flow, the verdict over both, and why. */
export function diagnose(askable: Askable, options: QuestionOptions, patches: readonly string[] = []): Diagnosis {
  const { asked, settled, decisiveFacts, cap } = weigh(askable, askable.ask(options));
  const judged = judge(asked.exploration);
  const look = askable.look(asked);
  const suspected = look === undefined ? [] : signs(look);
  const doubts = suspected.map((c) => text("evidence.suspected", { code: c.code, what: c.summary }));
  const unexplained = judged.verdict === "reachable" ? [...askable.unexplained(asked), ...doubts] : [];
  const contradictions = judged.verdict === "unreachable" ? askable.successes(asked) : unexplained;
  const seenToWork = judged.verdict === "unreachable" && contradictions.length > 0;
  const verdict = unexplained.length === 0 ? judged : doubted(judged, askable.showsBoth(asked));
  const judgement = { ...verdict, decisiveFacts: [...verdict.decisiveFacts, ...decisiveFacts] };
  const tried = patches.map((patch) => {
    const { world, commands } = askable.patched(patch);
    return { patch, commands, judgement: judge(askable.ask(options, world).exploration) };
  });
  const found = asked.question === undefined ? [] : explain(asked.question, asked.exploration, judged, seenToWork ? "possible" : cap);
  return { asked, judgement, causes: inOrder([...found, ...suspected]), contradictions, settled, tried };
}

/** A walk that delivers is not the last word where loss was seen that it does not explain. */
const doubted = (judged: Judgement, both: boolean): Judgement => ({
  ...judged,
  verdict: both ? "intermittent" : "undetermined",
  reachableShare: null,
  clientSees: null,
});
