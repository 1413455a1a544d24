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
  /^\s+(?:(?:meta|ip|ip6|ct|tcp|udp|icmp|icmpv6|iif|iifname|oif|oifname|fib|numgen|mark|th|ether|meta l4proto|xt|# handle|counter|jump|goto|elements|flags|typeof|type|gc-interval|timeout|devices|hook|comment|return|accept|drop|reject|masquerade|dnat|snat|redirect|log|limit|update|add|notrack|tproxy|vlan|socket|rt|ipsec|osf|queue|policy|size)\b.{0,2000}|\})\s*$/;
const RULE =
  /^nft (?:add|insert|delete|create|flush|replace|reset|destroy) (?:table|chain|rule|set|element|map|flowtable)/;
const RESTORE =
  /^(?:add|insert|flush|delete) (?:table|chain|rule|set|element|map) (?:ip|ip6|inet|arp|bridge|netdev) \S/;
const WARNING = /^# Warning: table \S+ \S+ is managed by/;

export function claimRuleset(text: string): Claim {
  const line = text.slice(0, GLANCE);
  if (TABLE.test(line) || LOOSE.test(line)) return "head";
  if (BLOCK.test(line) || HOOK.test(line) || RULE.test(line) || RESTORE.test(line)) return "line";
  return STATEMENT.test(line) || /^\}\s*$/.test(line) || WARNING.test(line) ? "maybe" : "no";
}

export const listsRuleset = (words: readonly string[]): boolean =>
  tool(words) === "nft" && words.includes("list") && !words.includes("monitor");
