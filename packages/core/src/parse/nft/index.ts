import type { Dialect } from "../dialect.ts";
import { claimRuleset, isRuleset, listsRuleset } from "./claim.ts";
import { readRuleset } from "./ruleset.ts";

export { applyNft } from "./apply.ts";
export { printNftRule, printRuleset } from "./print.ts";
export { readRuleset } from "./ruleset.ts";

export const dialects: readonly Dialect[] = [
  {
    id: "nft",
    title: "nft list ruleset",
    printedBy: listsRuleset,
    claim: claimRuleset,
    fills: isRuleset,
    read: (source, context) => {
      const listed = context.partial === undefined && listsAll(context.command) ? "whole" : "partial";
      const { tables, cut, diagnostics, counts } = readRuleset(source, listed, isTerse(context.command));
      const extent = cut ? "partial" : listed;
      return { facts: [{ kind: "nft", tables, extent, ...(cut && { cut }) }], diagnostics, counts };
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

/** `nft -t list ruleset`, also among other letters (`-ant`), leaves the elements of sets out. */
const isTerse = (command: readonly string[] | undefined): boolean => {
  const options = command?.slice(0, Math.max(0, command.indexOf("list"))) ?? [];
  return options.some((word) => word === "--terse" || /^-[a-zA-Z]*t[a-zA-Z]*$/.test(word));
};
