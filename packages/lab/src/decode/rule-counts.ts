import type { RuleCount } from "../observation.ts";

interface SavedFrom {
  readonly stack: string;
  readonly backend: "legacy" | "nft";
  readonly family: 4 | 6;
}

/** `iptables-…-save -c`: counters by position. `observed` says whether a chain's first rule is the lab's own. */
export function ruleCountsOf(
  text: string,
  place: SavedFrom,
  observed: (table: string, chain: string) => boolean,
): readonly RuleCount[] {
  const found: RuleCount[] = [];
  const positions = new Map<string, number>();
  let table = "";
  for (const row of text.split("\n")) {
    if (row.startsWith("*")) {
      table = row.slice(1);
      positions.clear();
      continue;
    }
    const policy = /^:(\S+) (?!-)\S+ \[(\d+):(\d+)\]$/.exec(row);
    const rule = /^\[(\d+):(\d+)\] -A (\S+)/.exec(row);
    if (policy !== null) {
      const [, chain, packets, bytes] = policy;
      found.push({ ...place, table, chain: chain!, rule: 0, packets: Number(packets), bytes: Number(bytes) });
    } else if (rule !== null) {
      const chain = rule[3]!;
      const position = (positions.get(chain) ?? (observed(table, chain) ? -1 : 0)) + 1;
      positions.set(chain, position);
      if (position > 0) {
        found.push({ ...place, table, chain, rule: position, packets: Number(rule[1]), bytes: Number(rule[2]) });
      }
    }
  }
  return found;
}
