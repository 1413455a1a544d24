import type { Observations } from "../model/index.ts";
import type { Dump } from "../parse/index.ts";
import { dumpedIn } from "./dumped.ts";

/** What was seen, out of all dumps of a case. */
export function observationsOf(dumps: readonly Dump[]): Observations {
  const logs = dumpedIn(dumps, "kernel-log").map((s) => s.fact);
  return {
    packets: dumpedIn(dumps, "packets").flatMap((s) => s.fact.packets),
    lines: logs.flatMap((f) => f.lines),
    martians: logs.flatMap((f) => f.martians),
    complaints: logs.flatMap((f) => f.complaints),
    serviceLines: dumpedIn(dumps, "service-log").flatMap((s) => s.fact.lines),
    counters: dumpedIn(dumps, "counters").flatMap((s) => s.fact.counters),
    settings: dumpedIn(dumps, "settings").flatMap((s) => s.fact.settings),
    symptoms: dumpedIn(dumps, "symptoms").flatMap((s) => s.fact.symptoms),
  };
}
