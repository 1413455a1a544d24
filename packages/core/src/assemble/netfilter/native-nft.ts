import type { IptablesTable, Netfilter, NftTable, UnreadDrop } from "../../model/index.ts";
import { printNftRule } from "../../parse/nft/index.ts";
import type { Seen } from "../seen.ts";

/** `table ip nat` and the like are what iptables-nft keeps its own tables in. */
const ofIptables = (table: NftTable): boolean =>
  (table.family === "ip" || table.family === "ip6") && /^(?:raw|mangle|nat|filter|security)$/.test(table.name);

/** nft tables that were read and are not walked yet. Those that iptables-nft shows as its own are known from there. */
export function nativeNft(seen: readonly Seen<"nft">[], tables: readonly IptablesTable[]): Netfilter["nativeNft"] {
  const alsoShown = tables.some((t) => t.backend !== "legacy");
  return seen.flatMap(({ fact }) =>
    fact.tables
      .filter((table) => !(alsoShown && ofIptables(table)))
      .map((table) => {
        const drops = dropsIn(table);
        const shown = { name: `${table.family} ${table.name}`, origin: table.origin };
        return drops.length === 0 ? shown : { ...shown, drops };
      }),
  );
}

/** Rules that drop, and how often they did, where they count. */
const dropsIn = (table: NftTable): readonly UnreadDrop[] =>
  table.chains.flatMap((chain) =>
    chain.rules.flatMap((rule) => {
      const ends = rule.statements.some(
        (s) => s.kind === "reject" || (s.kind === "verdict" && s.verdict.kind === "drop"),
      );
      const counter = rule.statements.find((s) => s.kind === "counter");
      return ends && counter?.packets !== undefined
        ? [{ chain: chain.name, rule: printNftRule(rule), packets: counter.packets, origin: rule.origin }]
        : [];
    }),
  );
