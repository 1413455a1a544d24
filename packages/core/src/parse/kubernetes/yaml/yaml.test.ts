import { cpuMilliseconds } from "@hairpin/testing/cpu.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { sourceOf } from "../../source.ts";
import { readYaml } from "./read.ts";
import { Mapping, Sequence, type Value } from "./value.ts";

function plain(value: Value): unknown {
  if (value instanceof Mapping)
    return Object.fromEntries(Array.from({ length: value.size }, (_, i) => [value.keyAt(i), plain(value.valueAt(i))]));
  if (value instanceof Sequence) return value.items.map(plain);
  return value;
}
const read = (text: string) => {
  const { documents, diagnostics } = readYaml(sourceOf("f.yaml", text));
  return { values: documents.map((d) => plain(d.value)), codes: diagnostics.map((d) => `${d.line} ${d.code}`) };
};

describe("YAML as kubectl prints it", () => {
  test.each<[string, string]>([
    ["nested", "a:\n  b:\n    c: d\n  e: f\ng: 1\n"],
    ["a list at its key's column", "ports:\n- name: http\n  port: 80\n- port: 443\n  name: https\nnext: x\n"],
    ["a list deeper than its key", "ports:\n  - name: http\n    port: 80\n  - 3\nnext: x\n"],
    ["lists in lists", "- - a\n  - b\n- - c\n-\n  - d\n"],
    ["empty things", "a: []\nb: {}\nc:\nd: null\ne: ~\nf: \"\"\ng: ''\n"],
    ["booleans and numbers", "a: true\nb: false\nc: 10\nd: -3\ne: \"80\"\nf: '81'\ng: 0\n"],
    ["quotes", `a: "x: y # z"\nb: 'it''s'\nc: "tab\\tnew\\nu\\u00e9 \\\\"\n"k.io/a": 1\n'k b': 2\n`],
    ["comments", "# one\na: b # two\n# three\nc: d#e\nf: # six\n  g: h\n"],
    ["a literal block", "a: |\n  one\n    two\n\n  three\nb: |-\n  x\nc: |+\n  y\n\nd: z\n"],
    ["a literal block in a list", "- |\n  a: b\n  - c\n- d\n"],
    ["a folded block", "a: >\n  one\n  two\n\n  three\nb: >-\n  x\n  y\n"],
    ["a plain scalar over lines", "a: one\n  two\n  three\nb: c\n"],
    ["a quoted scalar over lines", 'a: "one\n  two\n\n  three"\nb: \'x\n  y\'\nc: "no\\\n  blank"\n'],
    [
      "flow collections",
      'a: {ip: "10.0.0.1", nodeName: n-1, l: [1, "b", {c: d}]}\nb: [a, b]\n- not\n'.replace("- not\n", ""),
    ],
    ["flow in lists", "a:\n- {name: https, port: 8443}\n- [x]\n"],
    ["colons in values", "a: b:c\nd: http://x:80/\ne: 10.0.0.1:80\nf: fd00::1\n"],
  ])("%s", (_, text) => {
    expect(read(text)).toEqual({ values: [parse(text)], codes: [] });
  });

  test("several documents, each with its line", () => {
    const { documents } = readYaml(sourceOf("f", "---\na: 1\n---\n# c\nb: 2\n...\n---\nc: 3\n"));
    expect(documents.map((d) => [plain(d.value), d.line])).toEqual([
      [{ a: 1 }, 1],
      [{ b: 2 }, 4],
      [{ c: 3 }, 7],
    ]);
  });

  test("lines of keys", () => {
    const value = readYaml(sourceOf("f", "a: 1\nl:\n- x: 1\n  y: 2\n")).documents[0]!.value as Mapping;
    expect([value.lineAt(0), value.lineAt(1)]).toEqual([0, 1]);
    const item = (value.get("l") as Sequence).items[0] as Mapping;
    expect([item.line, item.lineAt(0), item.lineAt(1)]).toEqual([2, 2, 3]);
  });

  test.each<[string, string, readonly string[], unknown]>([
    ["an anchor", "a: &x\n  b: 1\nc: 2\n", ["1 kubernetes-yaml-not-plain"], { a: null, c: 2 }],
    ["an alias", "a: *x\nc: 2\n", ["1 kubernetes-yaml-not-plain"], { a: null, c: 2 }],
    ["a tag", "a: !!str 1\nc: 2\n", ["1 kubernetes-yaml-not-plain"], { a: null, c: 2 }],
    [
      "a flow collection over lines",
      "a: [1,\n  2]\nc: 2\n",
      ["1 kubernetes-yaml-flow", "2 kubernetes-yaml-indentation"],
      { a: null, c: 2 },
    ],
    ["a stray indentation", "a: 1\n   b: 2\nc: 3\n", ["2 kubernetes-yaml-indentation"], { a: 1, c: 3 }],
    ["a line without a key", "a: 1\nwhat\nc: 3\n", ["2 kubernetes-yaml-no-key"], { a: 1, c: 3 }],
    ["an open quote", 'a: "b\nc: 3\n', ["1 kubernetes-yaml-open-quote"], { a: null }],
  ])("%s is told", (_, text, codes, value) => {
    expect(read(text)).toEqual({ values: [value], codes });
  });

  test("what another writer writes is read back", () => {
    const scalar = fc.oneof(
      fc.stringMatching(/^[ -~]{0,30}$/),
      fc.integer({ min: -99999, max: 99999 }),
      fc.boolean(),
      fc.constant(null),
      fc.stringMatching(/^[a-z #:\n"'-]{0,20}$/),
    );
    const key = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9./_-]{0,20}$/);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        scalar,
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, tree, { minKeys: 1, maxKeys: 5, noNullPrototype: true }), (value) => {
        const text = stringify(value, { lineWidth: 0, version: "1.2" });
        if (/(^|\s)[{[][^\]}]/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, ""))) return;
        expect(read(text)).toEqual({ values: [parse(text)], codes: [] });
      }),
      { numRuns: 500 },
    );
  });

  test("any text is read without a throw, in one pass", () => {
    const line = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.stringMatching(/^ {0,8}(?:- ){0,3}[a-z]{0,4}:? ?["'|>{[&*!#]?[a-z}\]"']{0,6}$/),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => void readYaml(sourceOf("f", lines.join("\n")))),
      { numRuns: 2000 },
    );
  });

  test.each<[string, (n: number) => string]>([
    ["deep lists", (n) => "- ".repeat(n)],
    ["deep maps", (n) => Array.from({ length: Math.sqrt(n * 2) | 0 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    ["open quotes", (n) => 'a: "b\n'.repeat(n / 6)],
    ["colons", (n) => "a:b".repeat(n / 3)],
    ["hashes", (n) => `a: ${"#".repeat(n)}`],
    ["flow", (n) => `a: ${"[".repeat(n)}`],
    ["flow maps", (n) => `a: {${"b: c, ".repeat(n / 6)}`],
    ["blanks", (n) => "\n".repeat(n)],
    ["stray lines", (n) => "a: 1\n   b: 2\n".repeat(n / 12)],
    ["backslashes", (n) => `a: "${"\\".repeat(n)}`],
    ["continued", (n) => `a: b\n${"  c\n".repeat(n / 4)}`],
  ])("time grows with size: %s", (_, make) => {
    const time = (n: number) => {
      const source = sourceOf("f", make(n));
      let best = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 3; i++)
        best = Math.min(
          best,
          cpuMilliseconds(() => readYaml(source)),
        );
      return best;
    };
    time(1000);
    expect(time(800_000)).toBeLessThan(Math.max(40 * time(80_000), 500));
  });
});
