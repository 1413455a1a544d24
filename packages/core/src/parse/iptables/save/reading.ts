import type { IptablesTable } from "../../../model/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { DumpContext, Reading } from "../../dialect.ts";
import type { Source } from "../../source.ts";
import { readExcerpt } from "./excerpt.ts";
import { readSave } from "./save.ts";

export function tableReading(tables: readonly IptablesTable[], diagnostics: readonly Diagnostic[]): Reading {
  let chains = 0;
  let rules = 0;
  for (const table of tables) {
    chains += table.chains.length;
    for (const chain of table.chains) rules += chain.rules.length;
  }
  return {
    facts: tables.length === 0 ? [] : [{ kind: "iptables", tables }],
    diagnostics,
    counts: { tables: tables.length, chains, rules },
  };
}

const startsTable = (line: string): boolean => /^\*(?:raw|mangle|nat|filter|security)\s*$/.test(line);

/** With `*table` lines it is iptables-save or input of iptables-restore, without them iptables -S or an excerpt. */
export function readRules(source: Source, context: DumpContext): Reading {
  const head = source.lines.findIndex(startsTable);
  if (head >= 0 && !source.lines.slice(0, head).some(isRuleLine)) {
    const { document, diagnostics } = readSave(source, context);
    const tables = document.parts.flatMap((part) => (part.kind === "table" ? [part.table] : []));
    return tableReading(tables, diagnostics);
  }
  if (head < 0) {
    const { tables, diagnostics } = readExcerpt(source, context);
    return tableReading(tables, diagnostics);
  }
  // Rules first, a table later: two pieces pasted together.
  const before = readRules(part(source, 0, head), context);
  const after = readRules(part(source, head, source.lines.length), context);
  return {
    facts: [...before.facts, ...after.facts],
    diagnostics: [...before.diagnostics, ...after.diagnostics],
    counts: Object.fromEntries(
      (["tables", "chains", "rules"] as const).map((key) => [
        key,
        (before.counts[key] ?? 0) + (after.counts[key] ?? 0),
      ]),
    ),
  };
}

const isRuleLine = (line: string): boolean => /^(?:\[\d{1,20}:\d{1,20}\] )?-[APNI] /.test(line);

const part = (source: Source, from: number, to: number): Source => ({
  file: source.file,
  lines: source.lines.slice(from, to),
  firstLine: source.firstLine + from,
  ...(source.numbers && { numbers: source.numbers.slice(from, to) }),
  ...(source.shift && { shift: source.shift.slice(from, to) }),
});
