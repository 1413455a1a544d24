import type { Dialect, DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import { claimJson, claimRuleset, hasOption, isJsonRuleset, isRuleset, listsJson, listsRuleset } from "./claim.ts";
import { rulesetText } from "./json/ruleset-text.ts";
import { readRuleset } from "./ruleset.ts";

export { applyNft } from "./apply.ts";
export { rulesetText } from "./json/ruleset-text.ts";
export { printNftRule, printRuleset } from "./print.ts";
export { readRuleset } from "./ruleset.ts";

/** A listing, in text or JSON, as facts. `cutBefore`: the JSON around it ends before its end. */
function reading(source: Source, context: DumpContext, cutBefore: boolean): Reading {
  const listed = context.partial === undefined && listsAll(context.command) ? "whole" : "partial";
  const read = readRuleset(source, listed, isTerse(context.command));
  const cut = cutBefore || read.cut;
  const extent = cut ? "partial" : listed;
  const { tables, diagnostics, counts } = read;
  return { facts: [{ kind: "nft", tables, extent, ...(cut && { cut }) }], diagnostics, counts };
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
      return reading(said, context, cut);
    },
  },
];

/**
 * `nft list table ip nat` shows one of them, `nft list ruleset ip` those of one family; without a command above it a listing is
 * taken for the whole ruleset.
 */
const listsAll = (command: readonly string[] | undefined): boolean =>
  command === undefined ||
  !command.includes("list") ||
  (command.includes("ruleset") &&
    !/^(?:ip6?|inet|arp|bridge|netdev)$/.test(command[command.indexOf("ruleset") + 1] ?? ""));

/** `nft -t list ruleset` leaves the elements of sets out. */
const isTerse = (command: readonly string[] | undefined): boolean =>
  command !== undefined && hasOption(command, "t", "terse");
