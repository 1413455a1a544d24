import { settle, watchable, wereWatched } from "../instrument/index.ts";
import { groundId } from "../model/index.ts";
import { groundsOf, trace } from "../trace/index.ts";
import type { Askable } from "./askable.ts";
import type { Inquiry } from "./inquiry.ts";
import { byDoubt } from "./open/rests-on.ts";
import type { QuestionOptions } from "./question-options.ts";

/** More of them are not told apart at once. */
const MAX_DOUBTED = 5;

/** What the rules of `instrument` printed, pasted back, leaves of the hypotheses. */
export function settledByProbes(askable: Askable, inquiry: Inquiry, options: QuestionOptions): Inquiry {
  const { lines, packets } = askable.evidence.observed().observations;
  const watched = () => askable.ask(options, watchable(askable.world)).exploration;
  const settled = settle(inquiry.exploration, watched, lines, packets);
  if (settled !== undefined) return { ...inquiry, exploration: settled.exploration, settled: settled.facts };
  return inquiry.exploration.facts.length === 0 && wereWatched(lines)
    ? settledGrounds(askable, inquiry, options)
    : inquiry;
}

/** The same where nothing is open but what nobody showed. */
function settledGrounds(askable: Askable, inquiry: Inquiry, options: QuestionOptions): Inquiry {
  const { lines, packets } = askable.evidence.observed().observations;
  const watched = () => inDoubt(askable.ask(options, watchable(askable.world))).exploration;
  const settled = settle(inDoubt(inquiry).exploration, watched, lines, packets);
  if (settled === undefined || inquiry.question === undefined) return inquiry;
  const { fixed } = settled.exploration;
  return {
    ...inquiry,
    exploration: trace(inquiry.exploration.world, inquiry.question, { fixed }),
    settled: settled.facts,
  };
}

/** The question walked with both values of what it rests on although nobody showed it, as if that were open facts. */
export function inDoubt(inquiry: Inquiry): Inquiry {
  const { question, exploration } = inquiry;
  const grounds = byDoubt(groundsOf(exploration)).slice(0, MAX_DOUBTED);
  if (question === undefined || grounds.length === 0) return inquiry;
  const doubted = new Set(grounds.map(groundId));
  const { world, fixed } = exploration;
  return { ...inquiry, exploration: trace(world, question, { fixed, doubted }) };
}
