import type { IptablesTable, Netfilter } from "../../model/index.ts";
import type { Seen } from "../seen.ts";

/** `table ip nat` and the like are what iptables-nft keeps its own tables in. */
const OF_IPTABLES = /^ip6? (?:raw|mangle|nat|filter|security)$/;

/** nft tables that were seen and are not read yet. Those that iptables-nft shows as its own are known from there. */
export function nativeNft(
  notRead: readonly Seen<"not-read-yet">[],
  tables: readonly IptablesTable[],
): Netfilter["nativeNft"] {
  const alsoShown = tables.some((t) => t.backend !== "legacy");
  return notRead.flatMap(({ fact, dump }) => {
    if (dump.dialect.id !== "nft") return [];
    const names = (fact.names ?? []).filter((name) => !(alsoShown && OF_IPTABLES.test(name)));
    const origin = { kind: "read" as const, file: dump.file, line: dump.lines[0] };
    const { drops = [] } = fact;
    // With the first of them: which table a rule is in does not matter to who was dropped.
    return names.map((name, i) => (i === 0 && drops.length > 0 ? { name, origin, drops } : { name, origin }));
  });
}
