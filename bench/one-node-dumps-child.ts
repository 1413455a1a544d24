import { Askable } from "@hairpin/core/diagnose/index.ts";
import { readingOnce } from "../packages/cli/src/case/budget.ts";
import { SWEEP_LIMITS } from "../packages/cli/src/case/limits.ts";
import { loadCase } from "../packages/cli/src/case/load.ts";
import { printSecondSnapshot } from "./second-snapshot.ts";

/** Two folders that differ in the dump of one node, read as the command line reads them. */
const [first = "", second = ""] = process.argv.slice(2);

const readBefore = readingOnce(SWEEP_LIMITS);
const asked = (folder: string): Askable => new Askable(loadCase([folder], SWEEP_LIMITS, undefined, { readBefore }), []);
printSecondSnapshot(
  () => asked(first),
  () => asked(second),
);
