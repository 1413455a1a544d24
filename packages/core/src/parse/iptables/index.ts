import type { Dialect } from "../dialect.ts";
import { readCommands } from "./commands.ts";
import { readListing } from "./listing/reader.ts";
import { readRules } from "./reading.ts";
import {
  claimCommand,
  claimListing,
  claimRules,
  claimSave,
  printsListing,
  printsRules,
  printsSave,
} from "./recognise.ts";

export const dialects: readonly Dialect[] = [
  { id: "iptables-save", title: "iptables-save", printedBy: printsSave, claim: claimSave, read: readRules },
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

export { type Applied, type ApplyError, applyCommand } from "./apply.ts";
export type { IptablesCommand, IptablesOperation } from "./command.ts";
export { parseCommand, readCommands } from "./commands.ts";
export { printDocument } from "./document.ts";
export { printRule, printRuleSpec, printTable, printTables, ruleArguments } from "./print.ts";
export { readSave, type SaveDocument } from "./save.ts";
