import type { Claim } from "../dialect.ts";
import { showsFile, tool, when } from "../not-read-yet/not-read-yet.ts";

const ENTRY =
  /^\s*(?:\[(?:NEW|UPDATE|DESTROY)\]\s+)?(?:\[?\d+\.\d+\]?\s+)?(?:ipv[46]\s+\d+\s+)?(?:tcp|udp|udplite|icmp|icmpv6|ipv6-icmp|sctp|dccp|gre|esp|unknown)\s+\d{1,3}\s.{0,80}\bsrc=\S+ dst=\S+/;
const SUMMARY = /^conntrack v\d\S* \(conntrack-tools\): /;
const STATS = /^\s*cpu=\d+\s+(?:searched|found|entries|insert|clashres|invalid)=?/;
const EXPECT = /^\s*\d+ (?:l3proto = \d+ )?proto=\d+ src=\S+ dst=\S+/;

/** A claim must not cost more than a glance, however long the line. */
const GLANCE = 2000;

export function claimEntries(full: string): Claim {
  const line = full.slice(0, GLANCE);
  if (ENTRY.test(line) || SUMMARY.test(line) || EXPECT.test(line)) return "line";
  return "no";
}

const statsFlag = (words: readonly string[]): boolean => words.some((w) => w === "-S" || w === "--stats");

export const claimStats = (line: string): Claim => when(STATS.test(line.slice(0, GLANCE)), "line");

export const printsEntries = (words: readonly string[]): boolean =>
  (tool(words) === "conntrack" && !statsFlag(words)) || showsFile(words, /^\/proc\/net\/(?:nf|ip)_conntrack/);

export const printsStats = (words: readonly string[]): boolean =>
  (tool(words) === "conntrack" && statsFlag(words)) || showsFile(words, /^\/proc\/net\/stat\/nf_conntrack/);
