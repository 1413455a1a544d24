import type { NftTable, Origin } from "../../model/index.ts";
import { sourceOf } from "../source.ts";
import { readUpon } from "./ruleset.ts";

/** The tables after `nft …`, or why nft would refuse it. */
export function applyNft(
  tables: readonly NftTable[],
  command: string,
  origin: Origin,
): { readonly tables: readonly NftTable[] } | { readonly error: string } {
  const { tables: after, diagnostics } = readUpon(sourceOf("nft", command), { tables, origin });
  const [problem] = diagnostics;
  if (problem !== undefined) return { error: problem.message };
  const before = new Set(tables.flatMap(dangling));
  const led = after.flatMap(dangling).find((name) => !before.has(name));
  return led === undefined ? { tables: after } : { error: `a rule or element leads to ${led}, which is not there` };
}

/** Chains and sets that a table's rules and elements name and that it does not have: the kernel takes no such table (EBUSY, ENOENT). */
function dangling(table: NftTable): readonly string[] {
  if (table.extent !== "whole") return [];
  const { family, name } = table;
  const found = new Set<string>();
  const chains = new Set(table.chains.map((c) => c.name));
  const sets = new Set(table.sets.map((s) => s.name));
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { kind, chain, name: set } = value as { readonly [key: string]: unknown };
    if ((kind === "jump" || kind === "goto") && typeof chain === "string" && !chains.has(chain))
      found.add(`${family} ${name} ${chain}`);
    if (kind === "named" && typeof set === "string" && !sets.has(set)) found.add(`${family} ${name} @${set}`);
    for (const inner of Object.values(value)) look(inner);
  };
  for (const { rules } of table.chains) for (const { statements } of rules) look(statements);
  for (const { elements } of table.sets) for (const { data } of elements) look(data);
  return [...found];
}
