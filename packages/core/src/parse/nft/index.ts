import type { Extent } from "../../model/index.ts";
import type { Dialect, DumpContext, Reading, WholeDump } from "../dialect.ts";
import { type Source, sourceOf } from "../source.ts";
import { claimJson, claimRuleset, hasOption, isJsonRuleset, isRuleset, listsJson, listsRuleset } from "./claim.ts";
import { claimHooks, listsHooks, readHooks } from "./hooks.ts";
import { rulesetText } from "./json/ruleset-text.ts";
import { adopt, lazyTables } from "./lazy/read-lazily.ts";
import { scanRuleset } from "./lazy/scan.ts";
import { readRuleset } from "./ruleset.ts";
import { claimTables, listsTables, readTables, tablesReading } from "./tables.ts";

export { applyNft } from "./apply.ts";
export { rulesetText } from "./json/ruleset-text.ts";
export { printNftRule, printRuleset } from "./print.ts";
export { readRuleset } from "./ruleset.ts";

/** A listing, in text or JSON, as facts. `cutBefore`: the JSON around it ends before its end. */
function reading(source: Source, context: DumpContext, cutBefore: boolean): Reading {
  const shows = shown(context);
  const read = readRuleset(source, shows.tables, isTerse(context.command));
  const cut = cutBefore || read.cut;
  const extent = cut || read.more ? "partial" : shows.ruleset;
  const tables = shows.rules
    ? read.tables
    : // Names and hooks alone: of the rules in these chains nothing is known, not even that there are none.
      read.tables.map((t) => ({ ...t, chains: t.chains.filter((c) => c.rules.length > 0) }));
  const whole = cut ? tables.map((t) => ({ ...t, extent: "partial" as const })) : tables;
  const { diagnostics, counts } = read;
  return { facts: [{ kind: "nft", tables: whole, extent, ...(cut && { cut }) }], diagnostics, counts };
}

/** Below this a ruleset is read before it would pay. */
const LARGE = 200_000;

/**
 * A large ruleset, in one pass over its text: its rules and elements are read when they are asked for. What is said of them, and how many there
 * are, is told by the reader of the whole, where somebody wants to know.
 */
export function wholeRuleset(text: string, large = LARGE): WholeDump | undefined {
  const scanned = text.length < large ? undefined : scanRuleset(text);
  if (scanned === undefined) return undefined;
  return {
    lines: scanned.lines,
    read(file, context) {
      const shows = shown(context);
      const eagerly = () => reading(sourceOf(file, text), context, false);
      if (!shows.rules || isTerse(context.command)) return eagerly();
      const tables = lazyTables(text, scanned, file, shows.tables);
      let whole: Reading | undefined;
      const told = (): Reading => {
        if (whole === undefined) {
          whole = eagerly();
          adopt(
            tables,
            whole.facts.flatMap((f) => (f.kind === "nft" ? f.tables : [])),
          );
        }
        return whole;
      };
      return {
        facts: [{ kind: "nft", tables, extent: shows.ruleset }],
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

export const dialects: readonly Dialect[] = [
  {
    id: "nft",
    title: "nft list ruleset",
    printedBy: listsRuleset,
    claim: claimRuleset,
    fills: isRuleset,
    whole: (text) => wholeRuleset(text),
    read: (source, context) => reading(source, context, false),
  },
  {
    id: "nft-json",
    title: "nft -j list ruleset",
    printedBy: listsJson,
    claim: claimJson,
    fills: isJsonRuleset,
    read: (source, context) => {
      const { source: said, cut } = rulesetText(source);
      return context.command !== undefined && listsTables(context.command)
        ? tablesReading(readRuleset(said).tables, context)
        : reading(said, context, cut);
    },
  },
  {
    id: "nft-hooks",
    title: "nft list hooks",
    printedBy: listsHooks,
    claim: claimHooks,
    read: readHooks,
  },
  {
    id: "nft-tables",
    title: "nft list tables",
    printedBy: listsTables,
    claim: claimTables,
    read: readTables,
  },
];

/** How much a listing shows: of the ruleset, of each table in it, and whether chains come with their rules. */
interface Shown {
  readonly ruleset: Extent;
  readonly tables: Extent;
  readonly rules: boolean;
}
const ALL: Shown = { ruleset: "whole", tables: "whole", rules: true };
const TABLES: Shown = { ruleset: "partial", tables: "whole", rules: true };
const PART: Shown = { ruleset: "partial", tables: "partial", rules: true };
const HEADS: Shown = { ruleset: "partial", tables: "partial", rules: false };

const shown = ({ partial, command }: DumpContext): Shown => (partial === undefined ? shownBy(command) : PART);

const FAMILY = /^(?:ip6?|inet|arp|bridge|netdev)$/;

/**
 * `nft list table ip nat` shows all of one table, `nft list ruleset ip` all tables of one family, `nft list chain` and the like a part of
 * one; `nft list chains` shows no rule. Without a command above it a listing is taken for the whole ruleset.
 */
function shownBy(command: readonly string[] | undefined): Shown {
  const at = command?.indexOf("list") ?? -1;
  if (command === undefined || at < 0) return ALL;
  const [what, family] = [command[at + 1], command[at + 2] ?? ""];
  if (what === "ruleset") return FAMILY.test(family) ? TABLES : ALL;
  if (what === "table") return TABLES;
  return what === "chains" ? HEADS : PART;
}

/** `nft -t list ruleset` leaves the elements of sets out. */
const isTerse = (command: readonly string[] | undefined): boolean =>
  command !== undefined && hasOption(command, "t", "terse");
