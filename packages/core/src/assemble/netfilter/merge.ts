import { type Chain, derived, type IptablesBackend, type IptablesTable, type Machine } from "../../model/index.ts";
import type { Ledger } from "../ledger.ts";
import type { Seen } from "../seen.ts";
import { mergeChain } from "./merge-chain.ts";

/** One record a table, family and back end, from all listings. */
export function mergeTables(
  listings: readonly Seen<"iptables">[],
  machine: Machine,
  stack: string,
  ledger: Ledger,
): readonly IptablesTable[] {
  const tables = withBackends(
    listings.flatMap((l) => l.fact.tables),
    machine,
  );
  const groups = new Map<string, IptablesTable[]>();
  for (const table of tables) {
    const key = `${table.family} ${table.backend} ${table.name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [table]);
    else group.push(table);
  }
  return [...groups.values()].map((group) => mergeTable(group, stack, ledger));
}

/**
 * `iptables-save` alone does not say which back end printed it. iptables -V does; and where only one is seen at all, that
 * one is meant.
 */
function withBackends(tables: readonly IptablesTable[], machine: Machine): readonly IptablesTable[] {
  if (!tables.some((t) => t.backend === "unknown")) return tables;
  return tables.map((table) => {
    if (table.backend !== "unknown") return table;
    const versions = machine.iptables.filter((v) => v.backend !== undefined);
    const version = versions.find((v) => v.family === table.family) ?? versions[0];
    const seen = new Set(
      tables.filter((t) => t.family === table.family && t.backend !== "unknown").map((t) => t.backend),
    );
    const backend: IptablesBackend | undefined = version?.backend ?? (seen.size === 1 ? [...seen][0] : undefined);
    if (backend === undefined) return table;
    const origin =
      version === undefined ? table.origin : derived("back end from iptables -V", table.origin, version.origin);
    return { ...table, backend, origin };
  });
}

function mergeTable(group: readonly IptablesTable[], stack: string, ledger: Ledger): IptablesTable {
  const [first, ...rest] = group;
  if (rest.length === 0) return first!;
  const base = group.find((t) => t.extent === "whole") ?? first!;
  const byName = new Map<string, { readonly chain: Chain; readonly at: number }[]>();
  const inTurn = group.map((table, at) => ({ table, at }));
  // The base first, so that its order of chains stands.
  for (const { table, at } of [...inTurn.filter((t) => t.table === base), ...inTurn.filter((t) => t.table !== base)]) {
    for (const chain of table.chains) {
      const same = byName.get(chain.name);
      if (same !== undefined) same.push({ chain, at });
      else if (table === base || base.extent !== "whole") byName.set(chain.name, [{ chain, at }]);
      else {
        const text = `${table.name} has a chain ${chain.name} in one dump and not in another that shows the whole table`;
        ledger.note("contradiction", "chain-differs", text, [chain.origin, base.origin], stack);
      }
    }
  }
  const chains = [...byName.values()].map((same) => {
    if (same.length === 1) return same[0]!.chain;
    const ordered = same.sort((a, b) => a.at - b.at).map((s) => s.chain);
    return mergeChain(base, ordered, stack, ledger);
  });
  return { ...base, chains };
}
