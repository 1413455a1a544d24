import type { UnreadDrop } from "../../model/index.ts";
import type { Claim, Dialect } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";
import { notReadYet, tool } from "./not-read-yet.ts";

const TABLE = /^table (?:ip|ip6|inet|arp|bridge|netdev) \S+ \{/;
/** A chain pasted without the table around it. */
const LOOSE = /^chain (\S+) \{\s*$/;
const BLOCK = /^\s+(?:chain|set|map|flowtable|ct helper|counter|meter) \S+ \{/;
const HOOK = /^\s+type (?:filter|nat|route) hook \S+ (?:device \S+ )?priority /;
const STATEMENT =
  /^\s+(?:(?:meta|ip|ip6|ct|tcp|udp|icmp|icmpv6|iif|iifname|oif|oifname|fib|numgen|mark|th|ether|meta l4proto|xt|# handle|counter|jump|goto|elements|flags|typeof|type|gc-interval|timeout|devices|hook|comment|return|accept|drop|reject|masquerade|dnat|snat|redirect|log|limit|update|add|notrack|tproxy|vlan|socket|rt|ipsec|osf|queue|policy|size)\b.{0,2000}|\})\s*$/;
const RULE =
  /^nft (?:add|insert|delete|create|flush|replace|reset|destroy) (?:table|chain|rule|set|element|map|flowtable)/;
const RESTORE =
  /^(?:add|insert|flush|delete) (?:table|chain|rule|set|element|map) (?:ip|ip6|inet|arp|bridge|netdev) \S/;

function claimRuleset(line: string): Claim {
  if (TABLE.test(line) || LOOSE.test(line)) return "head";
  if (BLOCK.test(line) || HOOK.test(line) || RULE.test(line) || RESTORE.test(line)) return "line";
  return STATEMENT.test(line) || /^\}\s*$/.test(line) || /^# Warning: table \S+ \S+ is managed by/.test(line)
    ? "maybe"
    : "no";
}

const lists = (words: readonly string[]): boolean =>
  tool(words) === "nft" && words.some((w) => w === "list") && !words.includes("monitor");

/** `table ip kube-proxy {`: which tables there are is known before any of them is read. */
const tablesIn = (source: Source): readonly string[] =>
  source.lines.flatMap((line) => {
    const head = line.slice(0, 200);
    if (TABLE.test(head)) return [line.slice(6, line.indexOf(" {"))];
    const [, chain] = LOOSE.exec(head) ?? [];
    return chain === undefined ? [] : [`chain ${chain}`];
  });

const CHAIN = /^\s{0,40}chain (\S{1,128}) \{/;
const DROPS = /\b(?:drop|reject)\b/;
const COUNTED = /\bcounter packets (\d{1,18}) /;

/** Rules that drop, and how often they did, where they count. */
function dropsIn(source: Source): readonly UnreadDrop[] {
  let chain = "";
  return source.lines.flatMap((line, i) => {
    const rule = line.slice(0, 2000);
    chain = CHAIN.exec(rule)?.[1] ?? chain;
    const packets = DROPS.test(rule) ? COUNTED.exec(rule)?.[1] : undefined;
    return packets === undefined
      ? []
      : [{ chain, rule: rule.trim(), packets: Number(packets), origin: originAt(source, i) }];
  });
}

const ruleset = notReadYet({
  id: "nft",
  title: "nft list ruleset",
  what: "native nftables rules",
  printedBy: lists,
  claim: claimRuleset,
});

export const dialects: readonly Dialect[] = [
  {
    ...ruleset,
    read: (source) => ({
      facts: [{ kind: "not-read-yet", what: "native nftables rules", names: tablesIn(source), drops: dropsIn(source) }],
      diagnostics: [],
      counts: { lines: source.lines.length },
    }),
  },
];
