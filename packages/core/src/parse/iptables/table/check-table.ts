import type { IptablesTable, Rule } from "../../../model/index.ts";
import type { Severity } from "../../diagnostic.ts";
import { lineNumber, type Source } from "../../source.ts";
import { findLoops, isAcyclic } from "./loops.ts";
import type { TableBuilder } from "./table-builder.ts";

export type Say = (
  index: number,
  column: number,
  severity: Severity,
  code: string,
  message: string,
  length?: number,
) => void;

/** What only the table as a whole shows: jumps to chains that are not there, and chains that lead back to themselves. */
export function checkTable(builder: TableBuilder, table: IptablesTable, say: Say, source: Source): void {
  if (table.extent === "whole") {
    for (const entry of builder.entries.all) {
      if (entry.declared !== undefined || entry.mentioned < 0) continue;
      const line = source.lines[entry.mentioned] ?? "";
      const column = Math.max(0, line.lastIndexOf(entry.name));
      const message = `"${entry.name.slice(0, 80)}" is neither a chain of the table ${table.name} nor a target known here`;
      say(entry.mentioned, column, "warning", "iptables-missing-chain", message, entry.name.length);
    }
  }
  if (isAcyclic(builder.entries.all.length, builder.jumps)) return;
  for (const loop of findLoops(table.chains)) {
    const at = indexOfRule(source, loop.rule);
    const column = Math.max(0, (source.lines[at] ?? "").lastIndexOf(loop.to));
    const message = `${loop.from} leads back to ${loop.to}: no kernel accepts a loop, so this line is damaged or stale`;
    say(at, column, "warning", "iptables-chain-loop", message, loop.to.length);
  }
}

const indexOfRule = (source: Source, rule: Rule): number =>
  rule.origin.kind === "read" ? indexOfLine(source, rule.origin.line) : 0;

function indexOfLine(source: Source, line: number): number {
  if (source.numbers === undefined) return line - source.firstLine;
  let low = 0;
  let high = source.lines.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lineNumber(source, middle) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
