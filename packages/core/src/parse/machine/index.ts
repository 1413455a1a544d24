import type { Dialect } from "../dialect.ts";
import * as claim from "./claim.ts";
import { readLsmod } from "./lsmod.ts";
import { readProcVersion, readUname } from "./uname.ts";
import { readHostname, readHostnamectl, readIptablesVersion, readOsRelease } from "./versions.ts";

const tool = (words: readonly string[]): string => words[0]?.replace(/^.*\//, "") ?? "";
const cats = (words: readonly string[], path: RegExp) =>
  tool(words) === "cat" && words.slice(1).some((w) => path.test(w));

export const dialects: readonly Dialect[] = [
  {
    id: "uname",
    title: "uname",
    printedBy: (w) => tool(w) === "uname",
    claim: claim.claimUname,
    read: (source) => readUname(source),
  },
  {
    id: "proc-version",
    title: "/proc/version",
    printedBy: (w) => cats(w, /^\/proc\/version$/),
    claim: claim.claimProcVersion,
    read: (source) => readProcVersion(source),
  },
  {
    id: "lsmod",
    title: "lsmod",
    printedBy: (w) => tool(w) === "lsmod" || cats(w, /^\/proc\/modules$/),
    claim: claim.claimLsmod,
    read: readLsmod,
  },
  {
    id: "iptables-version",
    title: "iptables -V",
    printedBy: (w) =>
      /^(?:x|ip6?)tables(?:-(?:nft|legacy))?(?:-(?:save|restore))?$/.test(tool(w)) &&
      w.some((x) => x === "-V" || x === "--version"),
    claim: claim.claimIptablesVersion,
    read: (source) => readIptablesVersion(source),
  },
  {
    id: "hostname",
    title: "hostname",
    printedBy: (w) =>
      (tool(w) === "hostname" && w.slice(1).every((x) => /^-(?:[fs]|-fqdn|-long|-short)$/.test(x))) ||
      cats(w, /^\/etc\/hostname$/),
    claim: () => "no",
    read: (source) => readHostname(source),
  },
  {
    id: "hostnamectl",
    title: "hostnamectl",
    printedBy: (w) => tool(w) === "hostnamectl",
    claim: claim.claimHostnamectl,
    read: (source) => readHostnamectl(source),
  },
  {
    id: "os-release",
    title: "/etc/os-release",
    printedBy: (w) => cats(w, /^\/(?:etc|usr\/lib)\/(?:os-release|[\w*-]*release|debian_version)$/),
    claim: claim.claimOsRelease,
    read: (source) => readOsRelease(source),
  },
];
