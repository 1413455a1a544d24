import type { Dialect, DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import * as claim from "./claim.ts";

const notYet = (_source: Source, _context: DumpContext): Reading => ({ facts: [], diagnostics: [], counts: {} });
const tool = (words: readonly string[]): string => words[0]?.replace(/^.*\//, "") ?? "";
const cats = (words: readonly string[], path: RegExp) =>
  tool(words) === "cat" && words.slice(1).some((w) => path.test(w));

export const dialects: readonly Dialect[] = [
  { id: "uname", title: "uname", printedBy: (w) => tool(w) === "uname", claim: claim.claimUname, read: notYet },
  {
    id: "proc-version",
    title: "/proc/version",
    printedBy: (w) => cats(w, /^\/proc\/version$/),
    claim: claim.claimProcVersion,
    read: notYet,
  },
  {
    id: "lsmod",
    title: "lsmod",
    printedBy: (w) => tool(w) === "lsmod" || cats(w, /^\/proc\/modules$/),
    claim: claim.claimLsmod,
    read: notYet,
  },
  {
    id: "iptables-version",
    title: "iptables -V",
    printedBy: (w) =>
      /^(?:x|ip6?)tables(?:-(?:nft|legacy))?(?:-(?:save|restore))?$/.test(tool(w)) &&
      w.some((x) => x === "-V" || x === "--version"),
    claim: claim.claimIptablesVersion,
    read: notYet,
  },
  {
    id: "hostname",
    title: "hostname",
    printedBy: (w) => tool(w) === "hostname" || cats(w, /^\/etc\/hostname$/),
    claim: () => "no",
    read: notYet,
  },
  {
    id: "hostnamectl",
    title: "hostnamectl",
    printedBy: (w) => tool(w) === "hostnamectl",
    claim: claim.claimHostnamectl,
    read: notYet,
  },
  {
    id: "os-release",
    title: "/etc/os-release",
    printedBy: (w) =>
      cats(w, /^\/(?:etc|usr\/lib)\/(?:os-release|\*?-?release|redhat-release|centos-release|debian_version)$/),
    claim: claim.claimOsRelease,
    read: notYet,
  },
];
