import { append } from "../../net/append.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";
import { claimCommand, claimEntries, claimPaths, claimValue } from "./claim.ts";
import { parseSysctlCommand, type SysctlCommand } from "./command.ts";
import { readEntries, readProc } from "./entries.ts";

export { applySysctl, parseSysctlCommand, type SysctlCommand } from "./command.ts";
export { printEntries } from "./entries.ts";
export { keyOfName, keyOfPath, pathOfKey } from "./key.ts";

const tool = (words: readonly string[]): string => words[0]?.replace(/^.*\//, "") ?? "";
const procFiles = (words: readonly string[]) => words.filter((w) => w.startsWith("/proc/sys/"));

/** Commands that set switches are kept apart from listings: they say what somebody did, not what is. */
function readCommands(source: Source): Reading {
  const diagnostics: Diagnostic[] = [];
  const commands: SysctlCommand[] = [];
  for (const [index, line] of source.lines.entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const parsed = parseSysctlCommand(line, originAt(source, index));
    if (parsed !== undefined) append(commands, parsed);
    else diagnostics.push(diagnose(source, index, 0, "sysctl-bad-command", "sets no switch", { length: line.length }));
  }
  return { facts: [{ kind: "sysctl-commands", commands }], diagnostics, counts: { commands: commands.length } };
}

export const dialects: readonly Dialect[] = [
  {
    id: "sysctl",
    title: "sysctl",
    printedBy: (w) =>
      (tool(w) === "sysctl" && !w.some((x) => /^-[a-zA-Z]*[nN]/.test(x) || x === "--values" || x === "--names")) ||
      (tool(w) === "cat" && w.slice(1).some((x) => /^\/(?:etc|usr\/lib|run|lib)\/sysctl(?:\.d\/|\.conf)/.test(x))),
    claim: claimEntries,
    read: readEntries,
  },
  {
    id: "proc-sys",
    title: "/proc/sys with paths",
    printedBy: (w) => /^(?:grep|egrep|fgrep|head|tail)$/.test(tool(w)) && procFiles(w).length > 0,
    claim: claimPaths,
    read: readProc,
  },
  {
    id: "proc-sys-file",
    title: "/proc/sys file",
    printedBy: (w) =>
      (tool(w) === "cat" && procFiles(w).length > 0) ||
      (tool(w) === "sysctl" && w.some((x) => /^-[a-zA-Z]*n/.test(x) || x === "--values")),
    claim: claimValue,
    read: readProc,
  },
  {
    id: "sysctl-commands",
    title: "sysctl -w",
    printedBy: () => false,
    claim: claimCommand,
    read: (source) => readCommands(source),
  },
];
