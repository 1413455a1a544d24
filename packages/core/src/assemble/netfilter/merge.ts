import { type Chain, derived, type IptablesTable, type Machine } from "../../model/index.ts";
import { ruleKey } from "../../parse/iptables/rule/equal.ts";
import type { Dumped } from "../dumped.ts";
import { type ListedChain, mergeChain } from "./merge-chain.ts";

/** A table together with how it was shown. */
interface Listed {
  readonly table: IptablesTable;
  readonly file: string;
  /** By iptables -L, which was made for reading. */
  readonly loose: boolean;
}

/** One record a table, family and back end, from all listings. */
export function mergeTables(listings: readonly Dumped<"iptables">[], machine: Machine): readonly IptablesTable[] {
  const listed = listings.flatMap(({ fact, dump }) =>
    fact.tables.map((table): Listed => ({ table, file: dump.file, loose: dump.dialect.id === "iptables-L" })),
  );
  const groups = new Map<string, Listed[]>();
  for (const one of besideExact(withBackends(listed, machine))) {
    const key = `${one.table.family} ${one.table.backend} ${one.table.name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  const tables = [...groups.values()].map((group) => mergeTable(group));
  return tables.filter((t) => !isShownElsewhere(t, tables));
}

/**
 * `iptables-save` alone does not say which back end printed it. iptables -V in the same text does, and so does one elsewhere
 * where no other back end is named: a container may bring a tool of its own.
 */
function withBackends(listed: readonly Listed[], machine: Machine): readonly Listed[] {
  const versions = machine.iptables.filter((v) => v.backend !== undefined);
  if (versions.length === 0 || !listed.some((l) => l.table.backend === "unknown")) return listed;
  const named = new Set([...listed.map((l) => l.table.backend), ...versions.map((v) => v.backend)]);
  named.delete("unknown");
  return listed.map((one) => {
    const { table, file } = one;
    if (table.backend !== "unknown") return one;
    const near = versions.find((v) => v.origin.kind === "read" && v.origin.file === file);
    const version =
      near ?? (named.size === 1 && !listed.some((l) => l.table.backend !== "unknown") ? versions[0] : undefined);
    if (version?.backend === undefined) return one;
    const origin = derived("back end from iptables -V", table.origin, version.origin);
    return { ...one, table: { ...table, backend: version.backend, origin } };
  });
}

/**
 * `iptables -L` beside `iptables-save`, of the same machine: one table, shown twice, and the other form says more. Which back end printed
 * the listing is then that of the one that has such a table, or rules in it.
 */
function besideExact(listed: readonly Listed[]): readonly Listed[] {
  return listed.map((one) => {
    const { table } = one;
    if (!one.loose || table.backend !== "unknown") return one;
    const exact = listed.filter((l) => !l.loose && l.table.name === table.name && l.table.family === table.family);
    const filled = exact.filter((l) => l.table.chains.some((c) => c.rules.length > 0));
    const [same] = filled.length > 0 ? filled : exact;
    return same === undefined ? one : { ...one, table: { ...table, backend: same.table.backend } };
  });
}

/** A table of a back end nobody named that says nothing beyond one whose back end is known: the same table, shown twice. */
function isShownElsewhere(table: IptablesTable, tables: readonly IptablesTable[]): boolean {
  if (table.backend !== "unknown") return false;
  const alike = tables.filter((t) => t !== table && t.name === table.name && t.family === table.family);
  return alike.some((other) => {
    const chains = new Map(other.chains.map((c) => [c.name, c]));
    return table.chains.every((chain) => {
      const same = chains.get(chain.name);
      if (same === undefined || chain.rules.length > same.rules.length) return false;
      const known = new Set(same.rules.map((r) => ruleKey(r, table.family)));
      return chain.rules.every((r) => known.has(ruleKey(r, table.family)));
    });
  });
}

function mergeTable(group: readonly Listed[]): IptablesTable {
  const [first, ...rest] = group;
  if (rest.length === 0) return first!.table;
  const exact = group.filter((l) => !l.loose);
  const base = (
    exact.find((l) => l.table.extent === "whole") ??
    group.find((l) => l.table.extent === "whole") ??
    first!
  ).table;
  const byName = new Map<string, ListedChain[]>();
  const inTurn = group.map((listed, at) => ({ ...listed, at }));
  // The base first, so that its order of chains stands.
  for (const { table, loose, at } of [
    ...inTurn.filter((t) => t.table === base),
    ...inTurn.filter((t) => t.table !== base),
  ]) {
    for (const chain of table.chains) {
      const same = byName.get(chain.name);
      if (same !== undefined) same.push({ chain, loose, at });
      // What a whole table lacks was not there at its time.
      else if (table === base || base.extent !== "whole") byName.set(chain.name, [{ chain, loose, at }]);
    }
  }
  const chains = [...byName.values()].map((same): Chain => {
    if (same.length === 1) return same[0]!.chain;
    return mergeChain(
      base,
      [...same].sort((a, b) => a.at - b.at),
    );
  });
  return { ...base, chains };
}
