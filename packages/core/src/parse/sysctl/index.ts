import type { Dialect, DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import { claimCommand, claimEntries, claimPaths, claimValue } from "./claim.ts";

const notYet = (_source: Source, _context: DumpContext): Reading => ({ facts: [], diagnostics: [], counts: {} });
const tool = (words: readonly string[]): string => words[0]?.replace(/^.*\//, "") ?? "";
const procFiles = (words: readonly string[]) => words.filter((w) => w.startsWith("/proc/sys/"));

export const dialects: readonly Dialect[] = [
  {
    id: "sysctl",
    title: "sysctl",
    printedBy: (w) =>
      (tool(w) === "sysctl" && !w.some((x) => /^-[a-zA-Z]*[nN]/.test(x))) ||
      (tool(w) === "cat" && w.slice(1).some((x) => /^\/(?:etc|usr\/lib|run|lib)\/sysctl(?:\.d\/|\.conf)/.test(x))),
    claim: claimEntries,
    read: notYet,
  },
  {
    id: "proc-sys",
    title: "/proc/sys with paths",
    printedBy: (w) => /^(?:grep|egrep|fgrep|head|tail)$/.test(tool(w)) && procFiles(w).length > 0,
    claim: claimPaths,
    read: notYet,
  },
  {
    id: "proc-sys-file",
    title: "/proc/sys file",
    printedBy: (w) =>
      (tool(w) === "cat" && procFiles(w).length > 0) || (tool(w) === "sysctl" && w.some((x) => /^-[a-zA-Z]*n/.test(x))),
    claim: claimValue,
    read: notYet,
  },
  { id: "sysctl-commands", title: "sysctl -w", printedBy: () => false, claim: claimCommand, read: notYet },
];
