import type { Dialect } from "../dialect.ts";
import { claimCommand, claimConnections, claimListing, claimProc, claimProcConnections, claimSave } from "./claim.ts";
import { readConnections, readProcConnections } from "./connections.ts";
import { readListing } from "./listing.ts";
import { asksFor } from "./printed-by.ts";
import { readCommands, readSave } from "./save.ts";

export { applyIpvs, type IpvsState, IpvsTable, serviceId } from "./apply.ts";
export { type IpvsCommand, type IpvsOperation, parseIpvsCommand } from "./command.ts";
export { printListing, printSave } from "./print.ts";

const cats = (path: string) => (words: readonly string[]) =>
  words.includes(path) && /(?:^|\/)(?:cat|head|tail|less|more)$/.test(words[0] ?? "");

export const dialects: readonly Dialect[] = [
  {
    id: "ipvsadm-ln",
    title: "ipvsadm -ln",
    printedBy: (w) => asksFor(w) === "list",
    claim: claimListing,
    read: readListing,
  },
  {
    id: "ipvsadm-save",
    title: "ipvsadm -Sn",
    printedBy: (w) => asksFor(w) === "save",
    claim: claimSave,
    read: readSave,
  },
  {
    id: "ipvsadm-lnc",
    title: "ipvsadm -lnc",
    printedBy: (w) => asksFor(w) === "connections",
    claim: claimConnections,
    read: readConnections,
  },
  {
    id: "proc-ip-vs",
    title: "/proc/net/ip_vs",
    printedBy: cats("/proc/net/ip_vs"),
    claim: claimProc,
    read: readListing,
  },
  {
    id: "proc-ip-vs-conn",
    title: "/proc/net/ip_vs_conn",
    printedBy: cats("/proc/net/ip_vs_conn"),
    claim: claimProcConnections,
    read: readProcConnections,
  },
  {
    id: "ipvsadm-timeout",
    title: "ipvsadm -l --timeout",
    printedBy: (w) => asksFor(w) === "timeout",
    claim: (line) => (line.startsWith("Timeout (tcp tcpfin udp):") ? "head" : "no"),
    read: () => ({ facts: [{ kind: "not-read-yet", what: "IPVS timeouts" }], diagnostics: [], counts: {} }),
  },
  {
    id: "ipvsadm-commands",
    title: "ipvsadm commands",
    printedBy: () => false,
    claim: claimCommand,
    read: (source) => readCommands(source),
  },
];
