import { type ClaimedCause, explain, inOrder, signs } from "../explain/index.ts";
import { type Text, text } from "../messages/index.ts";
import { type Judgement, judge } from "../trace/index.ts";
import type { Askable, Asked, QuestionOptions } from "./askable.ts";

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
  readonly tried: readonly Tried[];
}

/** The main job, as one pure call: the walk, what was seen of the flow, the verdict over both, and why. */
export function diagnose(askable: Askable, options: QuestionOptions, patches: readonly string[] = []): Diagnosis {
  const asked = askable.ask(options);
  const judged = judge(asked.exploration);
  const look = askable.look(asked);
  const suspected = look === undefined ? [] : signs(look);
  const doubts = suspected.map((c) => text("evidence.suspected", { code: c.code, what: c.summary }));
  const unexplained = judged.verdict === "reachable" ? [...askable.unexplained(asked), ...doubts] : [];
  const contradictions = judged.verdict === "unreachable" ? askable.successes(asked) : unexplained;
  const judgement = unexplained.length === 0 ? judged : doubted(judged, askable.showsBoth(asked));
  const tried = patches.map((patch) => {
    const { world, commands } = askable.patched(patch);
    return { patch, commands, judgement: judge(askable.ask(options, world).exploration) };
  });
  const found = asked.question === undefined ? [] : explain(asked.question, asked.exploration, judged);
  return { asked, judgement, causes: inOrder([...found, ...suspected]), contradictions, tried };
}

/** A walk that delivers is not the last word where loss was seen that it does not explain. */
const doubted = (judged: Judgement, both: boolean): Judgement => ({
  ...judged,
  verdict: both ? "intermittent" : "undetermined",
  reachableShare: null,
  clientSees: null,
});
