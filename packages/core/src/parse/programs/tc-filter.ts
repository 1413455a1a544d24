import type { AttachedProgram, ProgramHook } from "../../model/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";
import { programsReading } from "./reading.ts";

const FILTER = /^filter\b.*?\b(bpf|u32|flower|matchall|basic|fw)\b(.*)$/;
const HANDLE = /\bhandle 0x[0-9a-f]+ (\S+)/;
/** What is sent through an ifb comes back to where it was. */
const PASSES = /\bmirred \(Egress (?:Redirect to device (?:ifb|bwp)|Mirror)|\bpolice\b|\bgact action (?:pass|ok)\b/;
const ACTION = /^\s*action order \d+:/;

export const claimTcFilter = (line: string): "line" | "maybe" | "no" => {
  const text = line.slice(0, 300);
  if (/^filter (?:dev \S+ )?(?:parent \S+ |ingress |egress )*protocol \S+ pref \d+ /.test(text)) return "line";
  return ACTION.test(text) || /^\s+(?:index \d+ ref|match [0-9a-f]{8}\/|not_in_hw|eth_type|Sent \d+ bytes)/.test(text)
    ? "maybe"
    : "no";
};

/** `tc filter show dev X ingress`: device and hook are of the command. Programs attached by tcx are not in it. */
export function readTcFilter(source: Source, context: DumpContext): Reading {
  const words = context.command ?? [];
  const device = words[words.indexOf("dev") + 1];
  const programs: AttachedProgram[] = [];
  if (!words.includes("dev") || device === undefined) return programsReading([], "partial");
  const hook: ProgramHook = words.includes("ingress") || words.includes("ffff:") ? "tc ingress" : "tc egress";
  for (const [index, line] of source.lines.entries()) {
    const [, kind, rest = ""] = FILTER.exec(line.slice(0, 500)) ?? [];
    if (kind === undefined) continue;
    const origin = originAt(source, index);
    if (kind === "bpf") {
      const name = HANDLE.exec(rest)?.[1];
      if (name !== undefined) programs.push({ device, hook, name, origin });
    } else if (acts(source.lines, index + 1)) programs.push({ device, hook, name: `a ${kind} filter`, origin });
  }
  return programsReading(programs, "partial");
}

/** Whether the actions below a filter may keep a packet back or send it elsewhere. */
function acts(lines: readonly string[], from: number): boolean {
  for (let i = from; i < lines.length && !lines[i]!.startsWith("filter"); i++)
    if (ACTION.test(lines[i]!) && !PASSES.test(lines[i]!)) return true;
  return false;
}
