import type { Dialect } from "../dialect.ts";
import { readCommands } from "./command/commands.ts";
import { wholeSave } from "./lazy/read-lazily.ts";
import { readListing } from "./listing/reader.ts";
import {
  claimCommand,
  claimListing,
  claimRules,
  claimSave,
  printsListing,
  printsRules,
  printsSave,
} from "./recognise.ts";
import { readRules } from "./save/reading.ts";

export const dialects: readonly Dialect[] = [
  {
    id: "iptables-save",
    title: "iptables-save",
    printedBy: printsSave,
    claim: claimSave,
    whole: wholeSave,
    read: readRules,
  },
  { id: "iptables-S", title: "iptables -S", printedBy: printsRules, claim: claimRules, read: readRules },
  { id: "iptables-L", title: "iptables -L", printedBy: printsListing, claim: claimListing, read: readListing },
  {
    id: "iptables-commands",
    title: "iptables commands",
    /** Commands print nothing; `sh -x` and scripts show themselves. */
    printedBy: () => false,
    claim: claimCommand,
    read: readCommands,
  },
];

export { type Applied, type ApplyError, applyCommand } from "./command/apply.ts";
export type { IptablesCommand, IptablesOperation } from "./command/command.ts";
export { parseCommand, readCommands } from "./command/commands.ts";
export { networksOfText } from "./lazy/addresses-of-text.ts";
export { printRule, printRuleSpec, printTable, printTables, ruleArguments } from "./rule/print.ts";
export { printDocument } from "./save/document.ts";
export { readSave, type SaveDocument } from "./save/save.ts";
