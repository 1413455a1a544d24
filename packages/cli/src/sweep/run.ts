import { setImmediate } from "node:timers/promises";
import { Askable, type LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { type Sweep, type SweepOptions, sweep } from "@hairpin/core/sweep/index.ts";
import { SweepProgressLine } from "./progress-line.ts";

/** The flow that case.yaml asks about, and what its asker sees, say nothing of the others. */
export function askableOf(loaded: LoadedCase, assume: readonly string[]): Askable {
  const { caseFile } = loaded;
  if (caseFile === undefined) return new Askable(loaded, assume);
  const { question: _, ...rest } = caseFile;
  return new Askable({ ...loaded, caseFile: rest }, assume);
}

export interface Limits {
  readonly maxSeconds?: number | undefined;
  readonly title: string;
}

/** Between two looks at signals and the clock. */
const TURN_MS = 50;

/** Sweeps with an eye on the clock and on Ctrl-C: either ends it with what is known so far. */
export const runSweep = (askable: Askable, options: SweepOptions, limits: Limits): Promise<Sweep> =>
  run(sweep(askable, options), limits, (progress) => progress.known());

/** Runs it to its end, or until Ctrl-C or the time is up: then `known` says what is known so far. */
export async function run<At extends { readonly answered: number; readonly flows: number }, Result>(
  walking: Generator<At, Result>,
  { maxSeconds, title }: Limits,
  known: (at: At) => Result,
): Promise<Result> {
  let interrupted = false;
  const onSignal = (): void => {
    interrupted = true;
  };
  process.once("SIGINT", onSignal);
  const began = Date.now();
  const line = new SweepProgressLine(title, began);
  try {
    let turn = began;
    for (;;) {
      const step = walking.next();
      if (step.done === true) return step.value;
      const now = Date.now();
      if (maxSeconds !== undefined && now - began >= maxSeconds * 1000) return known(step.value);
      if (now - turn < TURN_MS) continue;
      line.at(step.value.answered, step.value.flows);
      await setImmediate();
      turn = Date.now();
      if (interrupted) return known(step.value);
    }
  } finally {
    line.end();
    process.removeListener("SIGINT", onSignal);
  }
}
