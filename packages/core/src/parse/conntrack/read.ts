import type { ConntrackEntry, ObservedCounter } from "../../model/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { placeOf } from "../place.ts";
import { originAt, type Source } from "../source.ts";
import { conntrackEntry } from "./entry.ts";

const SUMMARY = /^conntrack v\S{1,20} \(conntrack-tools\): (\d{1,10}) flow entries/;
const EXPECT = /^\s*\d+ (?:l3proto = \d+ )?proto=\d+ src=/;

/** `conntrack -L` or /proc/net/nf_conntrack. Whole only where the tool's own count says that nothing is missing. */
export function readConntrack(source: Source, context: DumpContext): Reading {
  const entries: ConntrackEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  let claimed: number | undefined;
  let unread = 0;
  let gone = 0;
  source.lines.forEach((full, index) => {
    const line = full.slice(0, 4000);
    const summary = SUMMARY.exec(line);
    if (summary !== null) {
      claimed = Number(summary[1]);
      return;
    }
    if (line.trim() === "" || EXPECT.test(line) || /^\s*(?:\^C|\$|#|\[?\S*@)/.test(line)) return;
    const read = conntrackEntry(line, originAt(source, index));
    if (read === undefined) {
      unread++;
      diagnostics.push(
        diagnose(source, index, 0, "conntrack-unread", "no entry of the connection table", { severity: "warning" }),
      );
    } else if (read.gone) gone++;
    else entries.push(read.entry);
  });
  const words = context.command ?? [];
  const proc = words.some((w) => /^\/proc\/net\/(?:nf|ip)_conntrack$/.test(w)) && /^(?:.*\/)?cat$/.test(words[0] ?? "");
  const chosen = words.some((w) => /^-[a-zA-Z]*[pdsfgnmqr]$|^--/.test(w) && w !== "-L" && w !== "--dump");
  const whole =
    context.partial === undefined && unread === 0 && gone === 0 && !chosen && (proc || claimed === entries.length);
  return {
    facts: [{ kind: "conntrack", entries, extent: whole ? "whole" : "partial" }],
    diagnostics,
    counts: { connections: entries.length, ...(gone === 0 ? {} : { "ended connections": gone }) },
  };
}

const CPU = /^\s*cpu=(\d{1,5})\s/;

/** `conntrack -S`: a line of counters for each CPU. */
export function readConntrackStats(source: Source, context: DumpContext): Reading {
  const place = placeOf(source, context);
  const counters: ObservedCounter[] = [];
  const diagnostics: Diagnostic[] = [];
  let names: readonly string[] = [];
  let row = 0;
  source.lines.forEach((full, index) => {
    const line = full.slice(0, 4000);
    const origin = originAt(source, index);
    const cpu = CPU.exec(line);
    if (cpu !== null) {
      for (const m of line.matchAll(/\b([a-z_]{3,30})=(\d{1,15})/g))
        if (m[1] !== "cpu")
          counters.push({ place, name: `conntrack.${m[1]}`, of: `cpu${cpu[1]}`, value: Number(m[2]), origin });
    } else if (/^\s*entries\s+searched/.test(line)) names = line.trim().split(/\s+/);
    else if (names.length > 0 && /^\s*[0-9a-f]{8}(?:\s+[0-9a-f]{8})+\s*$/.test(line)) {
      const of = `cpu${row++}`;
      line
        .trim()
        .split(/\s+/)
        .forEach((value, i) => {
          const name = names[i];
          if (name !== undefined)
            counters.push({ place, name: `conntrack.${name}`, of, value: Number.parseInt(value, 16), origin });
        });
    } else if (line.trim() !== "")
      diagnostics.push(
        diagnose(source, index, 0, "conntrack-stats-unread", "no counters of a CPU", { severity: "warning" }),
      );
  });
  return { facts: [{ kind: "counters", counters }], diagnostics, counts: { counters: counters.length } };
}
