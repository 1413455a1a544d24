import type { Claim, Dialect } from "../dialect.ts";
import { notReadYet, showsFile, tool, when } from "./not-read-yet.ts";

const ENTRY =
  /^\s*(?:\[(?:NEW|UPDATE|DESTROY)\]\s+)?(?:\[?\d+\.\d+\]?\s+)?(?:ipv[46]\s+\d+\s+)?(?:tcp|udp|udplite|icmp|icmpv6|ipv6-icmp|sctp|dccp|gre|esp|unknown)\s+\d{1,3}\s.{0,80}\bsrc=\S+ dst=\S+/;
const SUMMARY = /^conntrack v\d\S* \(conntrack-tools\): /;
const STATS = /^\s*cpu=\d+\s+(?:searched|found|entries|insert|clashres|invalid)=?/;
const EXPECT = /^\s*\d+ (?:l3proto = \d+ )?proto=\d+ src=\S+ dst=\S+/;

function claimEntries(line: string): Claim {
  if (ENTRY.test(line) || SUMMARY.test(line) || EXPECT.test(line)) return "line";
  return "no";
}

const statsFlag = (words: readonly string[]): boolean => words.some((w) => w === "-S" || w === "--stats");

export const dialects: readonly Dialect[] = [
  notReadYet({
    id: "conntrack",
    title: "conntrack -L, /proc/net/nf_conntrack",
    what: "connections the kernel tracks",
    printedBy: (words) =>
      (tool(words) === "conntrack" && !statsFlag(words)) || showsFile(words, /^\/proc\/net\/(?:nf|ip)_conntrack/),
    claim: claimEntries,
  }),
  notReadYet({
    id: "conntrack-stats",
    title: "conntrack -S",
    what: "conntrack's counters",
    printedBy: (words) =>
      (tool(words) === "conntrack" && statsFlag(words)) || showsFile(words, /^\/proc\/net\/stat\/nf_conntrack/),
    claim: (line) => when(STATS.test(line), "line"),
  }),
];
