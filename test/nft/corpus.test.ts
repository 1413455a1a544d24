import { printRuleset, readRuleset, rulesetText } from "@hairpin/core/parse/nft/index.ts";
import { sourceOf } from "@hairpin/core/parse/source.ts";
import { haveReference, referenceJson } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";

interface Row {
  readonly name: string;
  readonly input: string;
  readonly loads: boolean;
  readonly loads117?: boolean;
  readonly listed?: string;
  readonly listed117?: string;
  readonly json?: unknown;
}
interface RuleRow {
  readonly file: string;
  readonly line: number;
  readonly input: string;
  readonly ok: boolean;
  readonly expected: string | null;
  readonly observed: Readonly<Record<string, Readonly<Record<string, { readonly listed?: string }>>>>;
}

/** What nft itself cannot read back: `[invalid type]` printed in the place of a type. */
const BROKEN = /\[invalid type\]/;

const problems = (name: string, text: string): readonly string[] =>
  readRuleset(sourceOf(name, text))
    .diagnostics.filter((d) => d.code !== "nft-include" && !BROKEN.test(d.text))
    .map((d) => `${name}:${d.line}: ${d.message}: ${d.text.trim()}`);

const plain = (value: unknown): string =>
  JSON.stringify(value, (key, v) =>
    key === "origin" || key === "handle" ? undefined : typeof v === "bigint" ? `${v}` : v,
  );

/** Rules, hooks and elements without what nft leaves out of its JSON: statements of elements, `auto-merge`, `dynamic`, `typeof`. */
const decisive = (text: string): Set<string> & { filter: (keep: (line: string) => boolean) => string[] } => {
  const lines = text
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replace(/"/g, "")
        .replace(/ burst 5 packets/g, "")
        .replace(/ with icmp(?:x|v6)? port-unreachable/g, "")
        .replace(/ check missing/g, " oif missing")
        .replace(/ counter packets \d+ bytes \d+| limit rate (?:over )?[^,}:]*?(?=,| }| :|$)/g, "")
        .replace(/^elements = \{ |,$| \}$/g, ""),
    )
    .filter(
      (line) =>
        !/^(?:flags|timeout|auto-merge|comment|type (?!filter|nat|route)|typeof|size|protocol|l3proto|mss|type )/.test(
          line,
        ),
    );
  return Object.assign(new Set(lines), { filter: (keep: (line: string) => boolean) => lines.filter(keep) });
};

describe.skipIf(!haveReference)("rulesets of others", () => {
  const rows = haveReference ? referenceJson<readonly Row[]>("corpora", "nft-rulesets.json") : [];

  test("every ruleset that a release of nft takes is read, as written and as listed", () => {
    const texts = rows.flatMap((r) => [
      ...(r.loads || r.loads117 === true ? [r.input] : []),
      ...[r.listed, r.listed117].filter((t) => typeof t === "string"),
    ]);
    console.log(`${rows.length} rulesets, ${texts.length} texts`);
    expect(texts.length).toBeGreaterThan(1000);
    expect(rows.flatMap((r) => (r.loads || r.loads117 === true ? problems(r.name, r.input) : []))).toEqual([]);
    expect(rows.flatMap((r) => (typeof r.listed === "string" ? problems(r.name, r.listed) : []))).toEqual([]);
    expect(rows.flatMap((r) => (typeof r.listed117 === "string" ? problems(r.name, r.listed117) : []))).toEqual([]);
  });

  test("what is printed reads back as the same", () => {
    const other = rows.flatMap((r) => {
      if (typeof r.listed !== "string" || BROKEN.test(r.listed)) return [];
      const { tables } = readRuleset(sourceOf(r.name, r.listed));
      const again = readRuleset(sourceOf(r.name, printRuleset(tables))).tables;
      return plain(again) === plain(tables) ? [] : [r.name];
    });
    expect(other).toEqual([]);
  });

  test("nft -j says the same as the text", () => {
    const both = rows.filter((r) => typeof r.listed === "string" && r.json !== undefined && r.json !== null);
    expect(both.length).toBeGreaterThan(600);
    const other = both.flatMap((r) => {
      const { source } = rulesetText(sourceOf(r.name, JSON.stringify(r.json)));
      const [json, text] = [readRuleset(source), readRuleset(sourceOf(r.name, r.listed!))];
      // A device that nft did not print, and what it prints in neither form.
      const unread = json.diagnostics.filter((d) => !BROKEN.test(d.text) && d.text.trim() !== "type filter hook ;");
      const said = decisive(printRuleset(json.tables));
      const differs = decisive(printRuleset(text.tables)).filter((line) => !said.has(line));
      return [...unread.map((d) => d.text.trim()), ...(json.diagnostics.length > 0 ? [] : differs)].map(
        (what) => `${r.name}: ${what}`,
      );
    });
    console.log(`${both.length} rulesets in both forms, ${new Set(other.map((o) => o.split(":")[0])).size} differ`);
    expect(other).toEqual([]);
  });

  test("every rule of nft's own tests that it takes is read, in all its forms", () => {
    const rules = referenceJson<readonly RuleRow[]>("corpora", "nft-rules.json").filter((r) => r.ok);
    const wrong = rules.flatMap((r) => {
      const listed = Object.values(r.observed ?? {}).flatMap((o) => Object.values(o).map((x) => x.listed));
      const forms = new Set([r.input, r.expected, ...listed].filter((t) => typeof t === "string"));
      return [...forms].flatMap((t) => problems(`${r.file}:${r.line}`, `table inet t {\n\tchain c {\n${t}\n\t}\n}\n`));
    });
    expect(wrong).toEqual([]);
  });
});
