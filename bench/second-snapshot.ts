import type { Askable } from "@hairpin/core/diagnose/index.ts";
import { compareSweeps, type SweepChanges } from "@hairpin/core/sweep/index.ts";

/** What the second of two snapshots took, in seconds of the processor, beside the first. */
export interface OneNode {
  readonly flows: number;
  readonly changed: number;
  readonly walks: SweepChanges["walks"];
  readonly reading: number;
  /** The second: of its files those that differ are read. */
  readonly readingAgain: number;
  readonly before: number;
  readonly after: number;
  /** To lay them beside each other. */
  readonly beside: number;
  readonly memory: number;
}

const seconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Reads both, sweeps both, and prints what each took. */
export function printSecondSnapshot(first: () => Askable, second: () => Askable): void {
  const read = (snapshot: () => Askable): Askable => {
    const askable = snapshot();
    void askable.world;
    return askable;
  };
  const began = seconds();
  const a = read(first);
  const readFirst = seconds();
  const b = read(second);
  const readBoth = seconds();
  const walking = compareSweeps({ askable: a }, { askable: b }, {});
  let found: SweepChanges | undefined;
  const took = { before: 0, after: 0, beside: 0 };
  // The clock of the processor is slow to read: all of its time, by the shares of each side.
  let all = 0;
  for (let at = performance.now(); found === undefined; ) {
    const step = walking.next();
    const now = performance.now();
    took[step.done === true ? "beside" : step.value.side] += now - at;
    all += now - at;
    at = now;
    if (step.done === true) found = step.value;
  }
  const rate = (seconds() - readBoth) / all;
  for (const part of ["before", "after", "beside"] as const) took[part] *= rate;
  const once: OneNode = {
    flows: found.flows,
    changed: found.changed.reduce((n, c) => n + c.flows, 0),
    walks: found.walks,
    reading: readFirst - began,
    readingAgain: readBoth - readFirst,
    ...took,
    memory: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  process.stdout.write(JSON.stringify(once));
}
