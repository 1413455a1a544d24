import type { ClaimedCause } from "@hairpin/core/explain/index.ts";
import type { Judgement } from "@hairpin/core/trace/index.ts";
import type { Asked } from "../case/ask.ts";

/** What `diagnose` found: the question, the walk's verdict, and what became of the flow under each patch tried. */
export interface Diagnosis {
  readonly asked: Asked;
  readonly judgement: Judgement;
  readonly causes: readonly ClaimedCause[];
  /** Observations that the walk does not explain, or that could not be read. */
  readonly contradictions: readonly string[];
  readonly tried: readonly {
    readonly patch: string;
    readonly commands: readonly string[];
    readonly judgement: Judgement;
  }[];
}
