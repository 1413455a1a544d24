import { setImmediate } from "node:timers/promises";
import type { Askable } from "@hairpin/core/diagnose/index.ts";
import { type Lang, text } from "@hairpin/core/messages/index.ts";
import { type Sweep, type SweepOptions, sweep } from "@hairpin/core/sweep/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { SweepProgressLine } from "./progress-line.ts";

export { sweepable as askableOf } from "@hairpin/core/sweep/index.ts";

export interface Limits {
  readonly maxSeconds?: number | undefined;
  readonly title: string;
  readonly lang: Lang;
}

/** What `--max-time` says. */
export function secondsOf(maxTime: string | undefined): number | undefined {
  const maxSeconds = maxTime === undefined ? undefined : Number(maxTime);
  if (maxSeconds !== undefined && !(maxSeconds > 0))
    throw new Failure(EXIT.usage, text("error.bad-seconds", { value: maxTime ?? "" }));
  return maxSeconds;
}

/** Between two looks at signals and the clock. */
const TURN_MS = 50;

/** Sweeps with an eye on the clock and on Ctrl-C: either ends it with what is known so far. */
export const runSweep = (askable: Askable, options: SweepOptions, limits: Limits): Promise<Sweep> =>
  run(sweep(askable, options), limits);

interface At<Result> {
  readonly answered: number;
  readonly flows: number;
  readonly known: () => Result;
}

/** Runs it to its end, or until Ctrl-C or the time is up: then what is known so far. */
export async function run<Result>(
  walking: Generator<At<Result>, Result>,
  { maxSeconds, title, lang }: Limits,
): Promise<Result> {
  let interrupted = false;
  const onSignal = (): void => {
    interrupted = true;
  };
  process.once("SIGINT", onSignal);
  const began = Date.now();
  const line = new SweepProgressLine(title, began, lang);
  try {
    let turn = began;
    for (;;) {
      const step = walking.next();
      if (step.done === true) return step.value;
      const now = Date.now();
      if (maxSeconds !== undefined && now - began >= maxSeconds * 1000) return step.value.known();
      if (now - turn < TURN_MS) continue;
      line.at(step.value.answered, step.value.flows);
      await setImmediate();
      turn = Date.now();
      if (interrupted) return step.value.known();
    }
  } finally {
    line.end();
    process.removeListener("SIGINT", onSignal);
  }
}
