import type { Dialect, DumpContext, Reading } from "../dialect.ts";
import type { Source } from "../source.ts";
import { claimCommand, claimList, claimSave, claimXml } from "./claim.ts";
import { wholeIpsets } from "./lazy.ts";
import { readList } from "./list.ts";
import { asksFor } from "./printed-by.ts";
import { readCommands, readSave } from "./save.ts";

export type { IpsetCommand, IpsetOperation } from "./command.ts";
export { parseCommand as parseIpsetCommand } from "./command.ts";
export { keyOfEntry, readIpsetEntry, readIpsetSave } from "./lookup.ts";
export { printList, printSave } from "./print.ts";
export { applyIpset, type IpsetState, IpsetTable } from "./table.ts";

const notReadYet = (_source: Source, _context: DumpContext): Reading => ({
  facts: [{ kind: "not-read-yet", what: "sets in XML or JSON" }],
  diagnostics: [],
  counts: {},
});

/** `ipset list -n`: that the sets are there, but neither their types nor their members. */
const readNames = (source: Source): Reading => ({
  facts: [{ kind: "ipset", sets: [], extent: "partial" }],
  diagnostics: [],
  counts: { names: source.lines.filter((line) => line.trim() !== "").length },
});

export const dialects: readonly Dialect[] = [
  { id: "ipset-list", title: "ipset list", printedBy: (w) => asksFor(w) === "list", claim: claimList, read: readList },
  {
    id: "ipset-save",
    title: "ipset save",
    printedBy: (w) => asksFor(w) === "save",
    claim: claimSave,
    whole: (text) => wholeIpsets(text),
    read: readSave,
  },
  {
    id: "ipset-names",
    title: "ipset list -n",
    printedBy: (w) => asksFor(w) === "names",
    claim: () => "no",
    read: readNames,
  },
  {
    id: "ipset-xml",
    title: "ipset list -o xml, -o json",
    printedBy: (w) => asksFor(w) === "xml",
    claim: claimXml,
    read: notReadYet,
  },
  {
    id: "ipset-commands",
    title: "ipset commands",
    printedBy: () => false,
    claim: claimCommand,
    read: (source) => readCommands(source),
  },
];
