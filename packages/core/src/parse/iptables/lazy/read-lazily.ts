import type { KeptText, Reading, WholeDump } from "../../dialect.ts";
import { sourceOf } from "../../source.ts";
import { readRules } from "../save/reading.ts";
import { settle } from "../save/settle.ts";
import { LazyTable } from "./lazy-table.ts";
import { scanSave } from "./scan.ts";
import { ScannedChains } from "./scanned-chains.ts";
import type { TableChains } from "./table-chains.ts";

/** Below this a dump is read before it would pay. */
const LARGE = 200_000;

/**
 * A large iptables-save, in one pass over its text: its rules are read chain by chain, when they are asked for. What is said of them,
 * and how many there are, is told by the reader of whole dumps, where somebody wants to know.
 */
export function wholeSave(
  text: string,
  { large = LARGE, shared, again = () => text }: KeptText = {},
): WholeDump | undefined {
  if (text.length < large || text.includes("\r")) return undefined;
  const scanned = scanSave(shared === undefined ? text : withoutCounters(text));
  if (scanned === undefined) return undefined;
  return readable(
    scanned.tables.map((t) => shared?.of(t) ?? new ScannedChains(t)),
    scanned.lines,
    again,
  );
}

/**
 * How many packets met a rule is each node's own: with `-c` (as `hairpin collect` asks) no two nodes would have a chain in common. Nothing asks for the counters of a whole
 * table's rules. Lines stay where they are.
 */
const withoutCounters = (text: string): string =>
  text.includes("\n[") ? text.replace(/^\[\d{1,20}:\d{1,20}\] (?=-A )/gm, "") : text;

/** Apart from its text, so that nothing here holds on to that. */
function readable(texts: readonly TableChains[], lines: number, again: () => string): WholeDump {
  return {
    lines,
    read(file, context) {
      const { backend, partial } = settle(context);
      const tables = texts.map(
        (table) =>
          new LazyTable(table, {
            family: table.header.family!,
            backend: table.header.backend ?? backend ?? "unknown",
            extent: partial ? "partial" : "whole",
            file,
          }),
      );
      let whole: Reading | undefined;
      const told = (): Reading => {
        if (whole === undefined) {
          whole = readRules(sourceOf(file, again()), context);
          const all = whole.facts.flatMap((f) => (f.kind === "iptables" ? f.tables : []));
          for (const [i, table] of tables.entries()) table.adopt(all[i]!);
        }
        return whole;
      };
      return {
        facts: [{ kind: "iptables", tables }],
        // None of its lines is a remark on another: all there is to say is said of rules.
        remarks: [],
        get diagnostics() {
          return told().diagnostics;
        },
        get counts() {
          return told().counts;
        },
      };
    },
  };
}
