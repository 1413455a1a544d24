import type { Claim } from "../dialect.ts";
import { tool } from "../not-read-yet/not-read-yet.ts";

/** A claim must not cost more than a glance, however long the line. */
const GLANCE = 2000;

const TABLE = /^table (?:ip|ip6|inet|arp|bridge|netdev) \S+ \{/;
/** A chain pasted without the table around it. */
const LOOSE = /^chain \S+ \{\s*$/;
const BLOCK = /^\s+(?:chain|set|map|flowtable|ct helper|counter|meter) \S+ \{/;
const HOOK = /^\s+type (?:filter|nat|route) hook \S+ (?:device \S+ )?priority /;
const STATEMENT =
  /^\s+(?:(?:meta|ip|ip6|ct|tcp|udp|icmp|icmpv6|iif|iifname|oif|oifname|fib|numgen|mark|th|ether|meta l4proto|xt|# handle|counter|jump|goto|elements|flags|typeof|type|gc-interval|timeout|devices|hook|comment|return|accept|drop|reject|masquerade|dnat|snat|redirect|log|limit|update|add|notrack|tproxy|vlan|socket|rt|ipsec|osf|queue|policy|size|auto-merge|ah|esp|comp|sctp|dccp|udplite|igmp|arp|exthdr|hbh|frag|dst|mh|srh|geneve|gre|vxlan|pkttype|skuid|skgid|iifgroup|oifgroup|iiftype|oiftype|cgroup|rtclassid|quota|synproxy|flow|delete|set|dup|fwd|jhash|symhash|time|day|hour|define|include|icmpx)\b.{0,2000}|\})\s*$/;
const RULE =
  /^nft (?:add|insert|delete|create|flush|replace|reset|destroy) (?:table|chain|rule|set|element|map|flowtable)/;
const RESTORE =
  /^(?:add|create|insert|replace|flush|delete|destroy) (?:table|chain|rule|set|element|map|flowtable|counter|limit|quota|synproxy|secmark|ct helper|ct timeout|ct expectation) (?:ip|ip6|inet|arp|bridge|netdev) \S/;
/** Lines of a script beside its tables. */
const SCRIPT = /^(?:(?:re)?define \w+ = \S.{0,1000}|include "[^"]{1,500}"|flush ruleset)\s*;?\s*$/;
/** Elements of a set go on over lines. */
const ELEMENTS = /^\s{2,200}\S.{0,2000}(?:,| \})\s*$/;
const WARNING = /^# Warning: table \S+ \S+ is managed by/;

export function claimRuleset(text: string): Claim {
  const line = text.slice(0, GLANCE);
  if (TABLE.test(line) || LOOSE.test(line)) return "head";
  if (BLOCK.test(line) || HOOK.test(line) || RULE.test(line) || RESTORE.test(line)) return "line";
  return SCRIPT.test(line) || STATEMENT.test(line) || ELEMENTS.test(line) || /^\}\s*$/.test(line) || WARNING.test(line)
    ? "maybe"
    : "no";
}

const OPENS =
  /^(?:table (?:(?:ip|ip6|inet|arp|bridge|netdev) )?\S+ ?(?:\{|;|$)|flush ruleset|(?:add|create|destroy|delete|flush) table |(?:re)?define \w+ =|include ")/;
const COMMAND = /^(?:add|create|insert|replace|flush|delete|destroy|include|(?:re)?define) /;
const CLOSES = /\}\s*;?\s*$/;

const TABLE_SOMEWHERE =
  /^\s*(?:(?:add|create|destroy|delete|flush) )?table (?:ip|ip6|inet|arp|bridge|netdev) \S|^flush ruleset|^(?:add|insert) rule /;

/** A file that opens like a ruleset and ends like one is nothing else in between. */
export function isRuleset(lines: readonly string[]): boolean {
  const isContent = (line: string) => line.trim() !== "" && !line.startsWith("#");
  const first = lines.find(isContent);
  const last = [...lines.slice(-50)].reverse().find(isContent);
  return (
    first !== undefined &&
    OPENS.test(first.slice(0, 200)) &&
    last !== undefined &&
    (COMMAND.test(last) || CLOSES.test(last.slice(-50))) &&
    // What opens it may be anything's but for a table somewhere.
    lines.some((line) => TABLE_SOMEWHERE.test(line.slice(0, 200)))
  );
}

const lists = (words: readonly string[]): boolean =>
  tool(words) === "nft" && words.includes("list") && !words.includes("monitor") && !words.includes("hooks");
const listsNames = (words: readonly string[]): boolean => words[words.indexOf("list") + 1] === "tables";

/** Whether nft was given an option: by its letter, alone or among others (`-ja`), or by its name. */
export const hasOption = (words: readonly string[], letter: string, name: string): boolean =>
  words
    .slice(0, Math.max(0, words.indexOf("list")))
    .some((w) => w === `--${name}` || (/^-[a-zA-Z]+$/.test(w) && w.includes(letter)));

export const listsRuleset = (words: readonly string[]): boolean =>
  lists(words) && !listsNames(words) && !hasOption(words, "j", "json");
export const listsJson = (words: readonly string[]): boolean => lists(words) && hasOption(words, "j", "json");

const JSON_HEAD = /^\s*\{\s*"nftables"\s*:/;
export const claimJson = (line: string): Claim => (JSON_HEAD.test(line.slice(0, 200)) ? "head" : "no");
/** A document that was indented begins on several lines. */
export const isJsonRuleset = (lines: readonly string[]): boolean =>
  JSON_HEAD.test(
    lines
      .slice(0, 5)
      .map((l) => l.slice(0, 200))
      .join(" "),
  );
