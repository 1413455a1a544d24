import type { Extent } from "../../model/index.ts";
import type { Dialect, DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import { claimJson, claimRuleset, hasOption, isJsonRuleset, isRuleset, listsJson, listsRuleset } from "./claim.ts";
import { claimHooks, listsHooks, readHooks } from "./hooks.ts";
import { rulesetText } from "./json/ruleset-text.ts";
import { readRuleset } from "./ruleset.ts";
import { claimTables, listsTables, readTables, tablesReading } from "./tables.ts";

export { applyNft } from "./apply.ts";
export { rulesetText } from "./json/ruleset-text.ts";
export { printNftRule, printRuleset } from "./print.ts";
export { readRuleset } from "./ruleset.ts";

/** A listing, in text or JSON, as facts. `cutBefore`: the JSON around it ends before its end. */
function reading(source: Source, context: DumpContext, cutBefore: boolean): Reading {
  const shows = context.partial === undefined ? shownBy(context.command) : PART;
  const read = readRuleset(source, shows.tables, isTerse(context.command));
  const cut = cutBefore || read.cut;
  const extent = cut ? "partial" : shows.ruleset;
  const tables = shows.rules
    ? read.tables
    : // Names and hooks alone: of the rules in these chains nothing is known, not even that there are none.
      read.tables.map((t) => ({ ...t, chains: t.chains.filter((c) => c.rules.length > 0) }));
  const whole = cut ? tables.map((t) => ({ ...t, extent: "partial" as const })) : tables;
  const { diagnostics, counts } = read;
  return { facts: [{ kind: "nft", tables: whole, extent, ...(cut && { cut }) }], diagnostics, counts };
}

export const dialects: readonly Dialect[] = [
  {
    id: "nft",
    title: "nft list ruleset",
    printedBy: listsRuleset,
    claim: claimRuleset,
    fills: isRuleset,
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
