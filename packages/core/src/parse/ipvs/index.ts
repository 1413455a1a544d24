import type { Dialect, DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import { claimCommand, claimConnections, claimListing, claimProc, claimProcConnections, claimSave } from "./claim.ts";
import { asksFor } from "./printed-by.ts";

const notYet = (_source: Source, _context: DumpContext): Reading => ({ facts: [], diagnostics: [], counts: {} });
const cats = (path: string) => (words: readonly string[]) =>
  words.includes(path) && /(?:^|\/)(?:cat|head|tail|less|more)$/.test(words[0] ?? "");

export const dialects: readonly Dialect[] = [
  {
    id: "ipvsadm-ln",
    title: "ipvsadm -ln",
    printedBy: (w) => asksFor(w) === "list",
    claim: claimListing,
    read: notYet,
  },
  { id: "ipvsadm-save", title: "ipvsadm -Sn", printedBy: (w) => asksFor(w) === "save", claim: claimSave, read: notYet },
  {
    id: "ipvsadm-lnc",
    title: "ipvsadm -lnc",
    printedBy: (w) => asksFor(w) === "connections",
    claim: claimConnections,
    read: notYet,
  },
  { id: "proc-ip-vs", title: "/proc/net/ip_vs", printedBy: cats("/proc/net/ip_vs"), claim: claimProc, read: notYet },
  {
    id: "proc-ip-vs-conn",
    title: "/proc/net/ip_vs_conn",
    printedBy: cats("/proc/net/ip_vs_conn"),
    claim: claimProcConnections,
    read: notYet,
  },
  { id: "ipvsadm-commands", title: "ipvsadm commands", printedBy: () => false, claim: claimCommand, read: notYet },
];
