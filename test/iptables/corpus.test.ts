import { oneRule, saveOf, shown } from "@hairpin/testing/iptables/read.ts";
import { haveReference, referenceJson } from "@hairpin/testing/reference.ts";
import { describe, expect, it } from "vitest";
import type { IptablesTableName } from "../../packages/core/src/model/index.ts";
import { printDocument } from "../../packages/core/src/parse/iptables/index.ts";

interface Row {
  readonly file: string;
  readonly line: number;
  readonly families: readonly (4 | 6)[];
  readonly table: IptablesTableName;
  readonly chains: readonly string[];
  readonly input: string;
  readonly expected: string | null;
  readonly verdictLegacy: string;
  readonly verdictNft: string;
}

/** Rows that the tools refuse for the state of the machine, which no reader of text can know. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "libxt_SET.t:3": "refused because the machine has no set of that name",
  "libxt_nfacct.t:8": "refused because the machine has no accounting object of that name",
  "libxt_set.t:4": "refused because the machine has no set of that name",
};

describe.skipIf(!haveReference)("iptables' own extension tests", () => {
  const rows = haveReference ? referenceJson<readonly Row[]>("corpora", "iptables-extensions.json") : [];

  const problems = (row: Row): readonly string[] => {
    const found: string[] = [];
    for (const family of row.families)
      for (const backend of ["legacy", "nft"] as const)
        for (const chain of row.chains) {
          const verdict = backend === "legacy" ? row.verdictLegacy : row.verdictNft;
          const { printed, complaints } = oneRule(row.input, { family, backend, table: row.table, chain });
          const where = `IPv${family} ${backend} ${chain}`;
          if (verdict === "FAIL") {
            if (complaints.length === 0) found.push(`${where}: not refused`);
            continue;
          }
          // "=" and a missing expectation: as typed.
          const wanted = verdict === "=" || row.expected === null ? row.input : row.expected;
          if (complaints.length > 0) found.push(`${where}: ${complaints.join("; ")}`);
          if (printed !== wanted) found.push(`${where}: printed ${printed}, wanted ${wanted}`);
        }
    return found;
  };

  it("reads and prints every row, and refuses what the tools refuse, but for the exceptions", () => {
    const failing = rows
      .map((row) => ({ name: `${row.file}:${row.line}`, found: problems(row) }))
      .filter(({ found }) => found.length > 0);
    expect(failing.map(({ name }) => name).sort()).toEqual(Object.keys(EXCEPTIONS).sort());
    for (const { found } of failing) expect(found.every((text) => text.endsWith("not refused"))).toBe(true);
  });

  it("has the rows it is counted by", () => {
    expect(rows.length).toBe(1054);
    expect(rows.filter((row) => row.verdictLegacy === "FAIL" && row.verdictNft === "FAIL").length).toBe(287);
  });

  interface Dump {
    readonly file: string;
    readonly format: string;
    readonly text: string;
  }
  const dumps = haveReference ? referenceJson<readonly Dump[]>("corpora", "iptables-dumps.json") : [];
  const saves = dumps.filter((dump) => dump.format === "iptables-save");

  it.each(saves.map((dump) => [dump.file, dump] as const))("reads %s", (file, dump) => {
    const { document, diagnostics } = saveOf(dump.text);
    expect(shown(diagnostics)).toEqual([]);
    const printed = printDocument(document);
    if (!file.includes("ipt-restore")) expect(printed).toBe(dump.text);
    else {
      // Two of them are input for iptables-restore, with blanks behind every line and empty lines between.
      const lines = dump.text.split("\n").map((line) => line.trim());
      expect(printed.split("\n").filter(Boolean)).toEqual(lines.filter(Boolean));
    }
  });

  it("found the dumps", () => expect(saves.length).toBe(9));
});
