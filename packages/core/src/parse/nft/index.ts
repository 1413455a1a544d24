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
      const whole = context.partial === undefined && listsAll(context.command);
      const { tables, diagnostics, counts } = readRuleset(source, whole ? "whole" : "partial");
      return { facts: [{ kind: "nft", tables, extent: whole ? "whole" : "partial" }], diagnostics, counts };
    },
  },
];

/** `nft list table ip nat` shows one of them; without a command above it a listing is taken for the whole ruleset. */
const listsAll = (command: readonly string[] | undefined): boolean =>
  command === undefined || !command.includes("list") || command.includes("ruleset");
