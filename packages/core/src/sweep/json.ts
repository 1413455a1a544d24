import { causesIn, tallyOf, undecidedIn } from "./summary.ts";
import type { Sweep } from "./swept.ts";

export const SWEEP_SCHEMA = "hairpin/sweep/1";

/** What all classes together come to: the last line of `--ndjson`. */
function summaryJson({ classes, flows, answered, walks, shard, input }: Sweep): Record<string, unknown> {
  return {
    schema: SWEEP_SCHEMA,
    ...(shard !== undefined && { shard: `${shard.index}/${shard.of}` }),
    ...(input !== undefined && { input }),
    flows,
    answered,
    complete: answered === flows,
    walks,
    verdicts: tallyOf(classes),
    causes: causesIn(classes),
    undecided: undecidedIn(classes),
  };
}

/** `sweep --json`: a contract, fields are only added. */
export function sweepJson(sweep: Sweep): Record<string, unknown> {
  const { causes, undecided, ...head } = summaryJson(sweep);
  return { ...head, classes: sweep.classes, causes, undecided };
}

/** `sweep --ndjson`: a class a line, then one line that sums up. */
export const sweepLines = (sweep: Sweep): readonly unknown[] => [...sweep.classes, summaryJson(sweep)];
