import type { Observations } from "../model/index.ts";
import type { Dump } from "../parse/index.ts";
import { seenIn } from "./seen.ts";

/** What was seen, out of all dumps of a case. */
export function observationsOf(dumps: readonly Dump[]): Observations {
  const logs = seenIn(dumps, "kernel-log").map((s) => s.fact);
  return {
    packets: seenIn(dumps, "packets").flatMap((s) => s.fact.packets),
    lines: logs.flatMap((f) => f.lines),
    martians: logs.flatMap((f) => f.martians),
    complaints: logs.flatMap((f) => f.complaints),
    serviceLines: seenIn(dumps, "service-log").flatMap((s) => s.fact.lines),
    counters: seenIn(dumps, "counters").flatMap((s) => s.fact.counters),
    settings: seenIn(dumps, "settings").flatMap((s) => s.fact.settings),
    symptoms: seenIn(dumps, "symptoms").flatMap((s) => s.fact.symptoms),
  };
}
