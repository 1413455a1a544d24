import { Askable } from "@hairpin/core/diagnose/index.ts";
import { compareSweeps, type SweepChanges } from "@hairpin/core/sweep/index.ts";
import { readingOnce } from "../packages/cli/src/case/budget.ts";
import { SWEEP_LIMITS } from "../packages/cli/src/case/limits.ts";
import { loadCase } from "../packages/cli/src/case/load.ts";
import type { OneNode } from "./one-node-child.ts";

/** Two folders that differ in the dump of one node, read as the command line reads them. */
const [first = "", second = ""] = process.argv.slice(2);

const seconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const readBefore = readingOnce(SWEEP_LIMITS);
const asked = (folder: string): Askable => {
  const askable = new Askable(loadCase([folder], SWEEP_LIMITS, undefined, { readBefore }), []);
  void askable.world;
  return askable;
};
const began = seconds();
const a = asked(first);
const readFirst = seconds();
const b = asked(second);
const read = seconds();
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
const rate = (seconds() - read) / all;
for (const part of ["before", "after", "beside"] as const) took[part] *= rate;
const once: OneNode = {
  flows: found.flows,
  changed: found.changed.reduce((n, c) => n + c.flows, 0),
  walks: found.walks,
  reading: readFirst - began,
  readingAgain: read - readFirst,
  ...took,
  memory: Math.round(process.resourceUsage().maxRSS / 1024),
};
process.stdout.write(JSON.stringify(once));
