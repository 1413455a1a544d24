import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { Claim, DumpContext, Reading } from "../dialect.ts";
import type { NamedNftTable } from "../facts.ts";
import { tool } from "../not-read-yet/not-read-yet.ts";
import { originAt, type Source } from "../source.ts";

/** `table inet filter`, and nothing behind it: with a brace it is a ruleset. */
const TABLE = /^table (ip6?|inet|arp|bridge|netdev) (\S+)\s*$/;

export const claimTables = (line: string): Claim => (TABLE.test(line.slice(0, 400)) ? "head" : "no");

export const listsTables = (words: readonly string[]): boolean =>
  tool(words) === "nft" && words.includes("list") && words[words.indexOf("list") + 1] === "tables";

/** All families, or those of one: `nft list tables ip`. */
const listsAllTables = ({ command, partial }: DumpContext): boolean =>
  partial === undefined && command?.[command.indexOf("tables") + 1] === undefined;

/** The tables that there are, of which nothing else is said. */
export const tablesReading = (
  tables: readonly NamedNftTable[],
  context: DumpContext,
  diagnostics: readonly Diagnostic[] = [],
): Reading => ({
  facts: [{ kind: "nft-tables", tables, extent: listsAllTables(context) ? "whole" : "partial" }],
  diagnostics,
  counts: { tables: tables.length },
});

/** Reads `nft list tables`. */
export function readTables(source: Source, context: DumpContext): Reading {
  const tables: NamedNftTable[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [index, line] of source.lines.entries()) {
    if (/^\s*(?:#.*)?$/.test(line.slice(0, 400))) continue;
    const found = TABLE.exec(line.slice(0, 400));
    if (found === null)
      diagnostics.push(diagnose(source, index, 0, "nft-tables-bad-line", "not a table", { length: line.length }));
    else
      tables.push({
        family: found[1] as NamedNftTable["family"],
        name: found[2]!,
        origin: originAt(source, index),
      });
  }
  return tablesReading(tables, context, diagnostics);
}
