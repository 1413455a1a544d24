import { explain } from "../explain/index.ts";
import type { World } from "../model/index.ts";
import { judge } from "../trace/index.ts";
import type { Askable } from "./askable.ts";
import { judgementText } from "./checks.ts";
import type { Diagnosis } from "./diagnose.ts";
import type { QuestionOptions } from "./question-options.ts";

/** The same question in a World that some commands have changed. What was observed was observed without the change, and is left out. */
export function whatIf(
  askable: Askable,
  before: Diagnosis,
  options: QuestionOptions,
  commands: readonly string[],
): Diagnosis {
  const world = commands.reduce((w: World, c) => askable.patched(c, w).world, askable.world);
  const inquiry = askable.ask(options, world);
  const judged = judge(inquiry.exploration);
  const causes = inquiry.question === undefined ? [] : explain(inquiry.question, inquiry.exploration, judged);
  return { ...before, inquiry, judgement: judgementText(judged), causes, contradictions: [], settled: [] };
}
