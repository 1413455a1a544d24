import { isUnwalked, type Origin, type SysctlEntry, unwalkedDefault } from "../../model/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";
import { keyOfName, keyOfPath } from "./key.ts";

const ENTRY = /^-?([A-Za-z0-9_][^\s=:]{0,250})\s*=(?:\s*)(.*)$/;
const ABSENT =
  /^(?:sysctl|cat|grep|head|tail): (?:cannot stat |error: |cannot open ')?["']?(\/proc\/sys\/[^\s:'"]{1,250}|[a-z][\w./-]{1,250})["']?:? .{0,40}(?:No such file or directory|is an unknown key)/;
const COMPLAINT = /^(?:sysctl|cat|grep): /;

interface Missing {
  readonly key: string;
  readonly origin: Origin;
}

/** Files of sysctl.d have comments and seldom blanks around the sign; sysctl(8) always prints ` = `. */
function isConfiguration(source: Source, context: DumpContext): boolean {
  const command = context.command?.join(" ") ?? "";
  if (command !== "") return /\/sysctl(?:\.d\/|\.conf)/.test(command);
  return /sysctl(?:\.d\/|\.conf$)/.test(source.file);
}

/** Reads `key = value`, as sysctl(8) prints it and as the files of sysctl.d have it. */
export function readEntries(source: Source, context: DumpContext): Reading {
  const diagnostics: Diagnostic[] = [];
  const entries: SysctlEntry[] = [];
  const missing: Missing[] = [];
  const configured = isConfiguration(source, context) ? { configured: true as const } : {};
  for (const [index, raw] of source.lines.entries()) {
    const line = raw.trim();
    if (line === "" || line[0] === "#" || line[0] === ";" || line === "--" || line.startsWith("* Applying ")) continue;
    const absent = ABSENT.exec(line.slice(0, 600));
    if (absent !== null) {
      missing.push({ key: keyOfName(absent[1]!), origin: originAt(source, index) });
      continue;
    }
    if (COMPLAINT.test(line)) {
      const message = "sysctl could not show this: not known";
      diagnostics.push(diagnose(source, index, 0, "sysctl-unreadable", message, { severity: "note" }));
      continue;
    }
    const entry = ENTRY.exec(line);
    if (entry === null) {
      diagnostics.push(
        diagnose(source, index, 0, "sysctl-bad-line", "not a key and its value", { length: line.length }),
      );
      continue;
    }
    const key = keyOfName(entry[1]!);
    if (key.includes("*")) {
      const message = "a pattern: which keys it sets is not known";
      diagnostics.push(diagnose(source, index, 0, "sysctl-pattern", message, { severity: "warning" }));
      continue;
    }
    const value = entry[2]!.trim();
    if (isUnwalked(key, value)) {
      const message = `not taken into account: walks go by ${unwalkedDefault(key)}, as kernels start with`;
      diagnostics.push(diagnose(source, index, 0, "sysctl-not-walked", message, { severity: "note" }));
    }
    entries.push({ key, value, ...configured, origin: originAt(source, index) });
  }
  return reading(entries, missing, diagnostics);
}

const reading = (
  entries: readonly SysctlEntry[],
  missing: readonly Missing[],
  diagnostics: readonly Diagnostic[],
): Reading => ({
  facts: [{ kind: "sysctls", entries, ...(missing.length === 0 ? {} : { missing }) }],
  diagnostics,
  counts: { keys: entries.length },
});

const BANNER = /^==> (\/proc\/sys\/\S{1,250}) <==$/;
const PATH = /^(\/proc\/sys\/[^\s:=]{1,250})(?:\s*[:=]\s*|\s+|$)(.*)$/;

/** The keys an echoed command asked for, in order; undefined where a pattern hides them. */
function requestedKeys(words: readonly string[] | undefined): readonly string[] | undefined {
  if (words === undefined) return undefined;
  const tool = words[0]?.replace(/^.*\//, "");
  const names = words.slice(1).filter((w) => (tool === "sysctl" ? !w.startsWith("-") : w.startsWith("/proc/sys/")));
  return names.some((n) => /[*?[{$]/.test(n)) ? undefined : names.map(keyOfName);
}

/**
 * Reads /proc/sys as grep, cat, head and loops print it: the path before the value, on the line above it, or only in the
 * command.
 */
export function readProc(source: Source, context: DumpContext): Reading {
  const diagnostics: Diagnostic[] = [];
  const entries: SysctlEntry[] = [];
  const missing: Missing[] = [];
  const bare: number[] = [];
  let above: string | undefined;
  for (const [index, raw] of source.lines.entries()) {
    const line = raw.trim();
    if (line === "") continue;
    const origin = originAt(source, index);
    const absent = ABSENT.exec(line.slice(0, 600));
    if (absent !== null) missing.push({ key: keyOfName(absent[1]!), origin });
    else if (COMPLAINT.test(line)) {
      const message = "this could not be read: not known";
      diagnostics.push(diagnose(source, index, 0, "sysctl-unreadable", message, { severity: "note" }));
    } else {
      const path = BANNER.exec(line) ?? PATH.exec(line);
      if (path === null) {
        if (above === undefined) bare.push(index);
        else entries.push({ key: above, value: line, origin });
        above = undefined;
      } else if (path[2] === undefined || path[2] === "") above = keyOfPath(path[1]!);
      else entries.push({ key: keyOfPath(path[1]!), value: path[2].trim(), origin });
    }
  }
  const keys = requestedKeys(context.command)?.filter((k) => !missing.some((m) => m.key === k));
  if (keys !== undefined && keys.length === bare.length) {
    for (const [i, index] of bare.entries()) {
      entries.push({ key: keys[i]!, value: source.lines[index]!.trim(), origin: originAt(source, index) });
    }
  } else {
    for (const index of bare) {
      const message = "whose value this is cannot be told";
      diagnostics.push(diagnose(source, index, 0, "sysctl-nameless-value", message, { severity: "warning" }));
    }
  }
  return reading(entries, missing, diagnostics);
}

/** As `sysctl -a` prints it. */
export const printEntries = (entries: readonly SysctlEntry[]): string =>
  entries.map((e) => `${e.key} = ${e.value}\n`).join("");
