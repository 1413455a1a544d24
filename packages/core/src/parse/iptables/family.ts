import type { Family } from "../../net/index.ts";

/** Words that only ip6tables prints, after a rule's start. */
const SIX =
  /(?: -[sd] (?:[0-9a-fA-F]{0,4}:){2}|icmp6|icmpv6|ipv6-icmp| -m (?:hl|frag|hbh|rt|srh|mh|eui64|ipv6header) |--to-(?:source|destination) \[?[0-9a-fA-F]*:[0-9a-fA-F]*:)/;
const FOUR =
  /(?: -[sd] \d{1,3}\.|-p icmp | -m (?:icmp|ttl|realm) |icmp-port-unreachable|--to-(?:source|destination) \d{1,3}\.)/;

/** What the lines of one table show of their family; IPv4 where they do not. */
export function guessFamily(lines: readonly string[], from = 0): Family {
  for (let i = from; i < lines.length; i++) {
    const line = lines[i]!;
    const c = line.charCodeAt(0);
    if (c === 42 || c === 35 || line === "COMMIT") break;
    if (c === 58) continue;
    const head = line.length > 500 ? line.slice(0, 500) : line;
    if (FOUR.test(head)) return 4;
    if (SIX.test(head)) return 6;
  }
  return 4;
}
