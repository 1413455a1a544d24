import type { Dialect, DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import { claimCommand, claimList, claimSave, claimXml } from "./claim.ts";
import { asksFor } from "./printed-by.ts";

const notYet = (_source: Source, _context: DumpContext): Reading => ({ facts: [], diagnostics: [], counts: {} });

export const dialects: readonly Dialect[] = [
  { id: "ipset-list", title: "ipset list", printedBy: (w) => asksFor(w) === "list", claim: claimList, read: notYet },
  { id: "ipset-save", title: "ipset save", printedBy: (w) => asksFor(w) === "save", claim: claimSave, read: notYet },
  {
    id: "ipset-xml",
    title: "ipset list -o xml",
    printedBy: (w) => asksFor(w) === "xml",
    claim: claimXml,
    read: notYet,
  },
  { id: "ipset-commands", title: "ipset commands", printedBy: () => false, claim: claimCommand, read: notYet },
];
