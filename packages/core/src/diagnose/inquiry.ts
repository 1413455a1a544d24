import type { SettledFact } from "../evidence/index.ts";
import type { Exploration, Question, QuestionSpec } from "../trace/index.ts";

/** A question, and what the walk came to. */
export interface Inquiry {
  readonly spec: QuestionSpec;
  readonly exploration: Exploration;
  /** Absent where the question is understood and not walked yet. */
  readonly question?: Question;
  /** Hypotheses that pasted output of `instrument` ruled out. */
  readonly settled?: readonly SettledFact[];
}
