import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import type { QuestionInput } from "@hairpin/core/parse/index.ts";
import { CaseTooLarge, readingOnce } from "./budget.ts";
import { LIMITS, type Limits, SWEEP_LIMITS } from "./limits.ts";
import { loadCase } from "./load.ts";

/** As a sweep reads it: the rules of many nodes one by one. */
export const loadStreamed = (paths: readonly string[], question?: QuestionInput): LoadedCase =>
  loadCase(paths, SWEEP_LIMITS, question, { readBefore: readingOnce(SWEEP_LIMITS) });

/** Kept whole where it fits, which answers one question soonest; else as a sweep reads it, so that its examples can be asked. */
export function loadAny(paths: readonly string[], question?: QuestionInput, limits: Limits = LIMITS): LoadedCase {
  try {
    return loadCase(paths, limits, question);
  } catch (error) {
    if (!(error instanceof CaseTooLarge)) throw error;
    return loadStreamed(paths, question);
  }
}
