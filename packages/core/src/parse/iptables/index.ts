import type { Dialect, DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import {
  claimCommand,
  claimListing,
  claimRules,
  claimSave,
  operationLetter,
  printsListing,
  printsRules,
  printsSave,
} from "./recognise.ts";

const notYet = (_source: Source, _context: DumpContext): Reading => ({ facts: [], diagnostics: [], counts: {} });

export const dialects: readonly Dialect[] = [
  { id: "iptables-save", title: "iptables-save", printedBy: printsSave, claim: claimSave, read: notYet },
  { id: "iptables-S", title: "iptables -S", printedBy: printsRules, claim: claimRules, read: notYet },
  { id: "iptables-L", title: "iptables -L", printedBy: printsListing, claim: claimListing, read: notYet },
  {
    id: "iptables-commands",
    title: "iptables commands",
    /** Commands print nothing; `sh -x` and scripts show themselves. */
    printedBy: () => false,
    claim: claimCommand,
    read: notYet,
  },
];

export { operationLetter };
