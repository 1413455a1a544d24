import { agent } from "./agent.ts";
import { bisect } from "./bisect.ts";
import { check } from "./check.ts";
import { collect } from "./collect.ts";
import type { Register } from "./command.ts";
import { completion } from "./completion.ts";
import { diagnose } from "./diagnose.ts";
import { diff } from "./diff.ts";
import { expect } from "./expect.ts";
import { explain } from "./explain.ts";
import { guard } from "./guard.ts";
import { instrument } from "./instrument.ts";
import { kubectl } from "./kubectl.ts";
import { lab } from "./lab.ts";
import { live } from "./live.ts";
import { man } from "./man.ts";
import { mcp } from "./mcp.ts";
import { serve } from "./serve.ts";
import { sweep } from "./sweep.ts";
import { trace } from "./trace.ts";
import { version } from "./version.ts";

/** In the order of `hairpin --help`. */
export const commands: readonly Register[] = [
  diagnose,
  trace,
  check,
  diff,
  sweep,
  expect,
  bisect,
  explain,
  live,
  collect,
  agent,
  instrument,
  guard,
  lab,
  serve,
  mcp,
  kubectl,
  completion,
  man,
  version,
];

/** Those that tell of no other command, by their name: where one is asked for, the others need not be made. */
const ALONE: ReadonlyMap<string, Register> = new Map([
  ["diagnose", diagnose],
  ["trace", trace],
  ["check", check],
  ["diff", diff],
  ["sweep", sweep],
  ["explain", explain],
]);

export function commandsFor(args: readonly string[]): readonly Register[] {
  const alone = ALONE.get(args[0] ?? "");
  return alone === undefined ? commands : [alone];
}
