import { sayAny, type Text } from "../messages/index.ts";
import type { Answer, FixRef } from "./answer.ts";
import { causesIn, tallyOf, undecidedIn } from "./summary.ts";
import type { Sweep } from "./swept.ts";

export const SWEEP_SCHEMA = "hairpin/sweep/1";

/** Machines are told in English, whoever reads beside them. */
export const answerJson = <A extends Answer>(answer: A): A => ({
  ...answer,
  causes: answer.causes.map(inEnglish),
  fix: fixJson(answer.fix),
});

const inEnglish = <S extends { readonly summary: Text | string }>(said: S): S => ({
  ...said,
  summary: sayAny(said.summary),
});
const fixJson = <F extends FixRef>(fix: F | null): F | null => (fix === null ? null : inEnglish(fix));

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
    causes: causesIn(classes).map((c) => ({ ...inEnglish(c), fix: fixJson(c.fix) })),
    undecided: undecidedIn(classes),
  };
}

/** `sweep --json`: a contract, fields are only added. */
export function sweepJson(sweep: Sweep): Record<string, unknown> {
  const { causes, undecided, ...head } = summaryJson(sweep);
  return { ...head, classes: sweep.classes.map(answerJson), causes, undecided };
}

/** `sweep --ndjson`: a class a line, then one line that sums up. */
export const sweepLines = (sweep: Sweep): readonly unknown[] => [...sweep.classes.map(answerJson), summaryJson(sweep)];
