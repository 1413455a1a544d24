import { ruleOut, type SettledFact } from "../evidence/index.ts";
import { type Certainty, explain } from "../explain/index.ts";
import { type DecisiveFact, judge } from "../trace/index.ts";
import type { Askable } from "./askable.ts";
import type { Inquiry } from "./inquiry.ts";

/** The walk, held against what was seen. */
export interface Weighed {
  readonly inquiry: Inquiry;
  /** Open facts that what was seen decides. */
  readonly settled: readonly SettledFact[];
  /** What still decides by the walk alone, where nothing but the failure itself speaks for what is left. */
  readonly decisiveFacts: readonly DecisiveFact[];
  /** No cause may be claimed with more certainty. */
  readonly cap: Certainty;
}

/**
 * Observations rule hypotheses out; what survives is walked on with. A hypothesis that is left only because the flow was seen
 * to fail may still be wrong, for the failure may have a reason that nobody showed.
 */
export function weigh(askable: Askable, inquiry: Inquiry): Weighed {
  const look = askable.evidence.look(inquiry);
  if (look === undefined) return { inquiry, settled: [], decisiveFacts: [], cap: "proven" };
  const { exploration, settled, byFailureAlone } = ruleOut(inquiry.exploration, look);
  if (settled.length === 0) return { inquiry, settled, decisiveFacts: [], cap: "proven" };
  // A failure that no cause stands behind decides nothing.
  if (byFailureAlone && explain(look.question, exploration, judge(exploration, true), "inferred").length === 0)
    return { inquiry, settled: [], decisiveFacts: [], cap: "proven" };
  const decisiveFacts = byFailureAlone ? judge(inquiry.exploration, true).decisiveFacts : [];
  return { inquiry: { ...inquiry, exploration }, settled, decisiveFacts, cap: byFailureAlone ? "inferred" : "proven" };
}
