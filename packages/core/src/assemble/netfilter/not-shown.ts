import { text } from "../../messages/index.ts";
import type { IptablesTable, IptablesTableName } from "../../model/index.ts";
import type { Dump } from "../../parse/index.ts";
import type { Ledger } from "../ledger.ts";

const TABLES: readonly IptablesTableName[] = ["raw", "mangle", "nat", "filter"];

/** `nft list ruleset` prints what iptables-nft loaded as well. */
const showsRuleset = (dump: Dump): boolean => dump.reading.facts.some((f) => f.kind === "nft" && f.extent === "whole");

/** `iptables-save` prints every table there is: what an uncut one lacks was never loaded. */
export const showsAllTables = (dump: Dump): boolean => showsRuleset(dump) || showsSaved(dump);

const showsSaved = (dump: Dump): boolean =>
  dump.dialect.id === "iptables-save" &&
  dump.context.partial === undefined &&
  dump.context.iptablesTable === undefined &&
  dump.context.command?.includes("-t") !== true &&
  dump.reading.facts.some((f) => f.kind === "iptables" && f.tables.some((t) => t.family === 4 && t.extent === "whole"));

/** Tables nobody showed are taken to be empty with policy ACCEPT, and that is listed. */
export function assumeEmptyTables(
  tables: readonly IptablesTable[],
  dumps: readonly Dump[],
  stack: string,
  ledger: Ledger,
): readonly IptablesTableName[] {
  if (dumps.some(showsAllTables)) return [];
  const shown = new Set(tables.filter((t) => t.family === 4).map((t) => t.name));
  if (shown.size === 0) {
    ledger.assume(`${stack}/iptables`, "empty", text("assume.no-rules", { stack }));
    return TABLES;
  }
  const unshown = TABLES.filter((name) => !shown.has(name));
  for (const name of unshown) {
    ledger.assume(`${stack}/iptables/${name}`, "empty", text("assume.table-empty", { table: name, stack }));
  }
  return unshown;
}
