import { cpuMilliseconds } from "@hairpin/testing/cpu.ts";
import { oneRule } from "@hairpin/testing/iptables/read.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { mutate, random, readAll } from "../../../../../test/iptables/mutate.ts";
import { sourceOf } from "../source.ts";
import { dialects, printRuleSpec, readSave } from "./index.ts";

describe("whatever bytes come in", () => {
  it("no reader throws: 3000 damaged dumps", () => {
    const next = random(20260504);
    for (let i = 0; i < 3000; i++) readAll(mutate(next));
  });

  it("no reader throws: any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => readAll(text)),
      { numRuns: 500, seed: 3 },
    );
  });

  it("what was typed prints and reads the same again", () => {
    const next = random(7);
    let rules = 0;
    for (let i = 0; i < 1500; i++) {
      const { document } = readSave(sourceOf("a", mutate(next)), {});
      for (const part of document.parts) {
        if (part.kind !== "table") continue;
        const { family, backend } = part.table;
        for (const rule of part.table.chains.flatMap((chain) => chain.rules)) {
          if (rule.target.kind === "unknown" || rule.matches.some((match) => match.kind === "unknown")) continue;
          const once = printRuleSpec(rule, family);
          expect(oneRule(once, { family, backend }).printed).toBe(once);
          rules++;
        }
      }
    }
    expect(rules).toBeGreaterThan(2000);
  });
});

/**
 * Inputs so long that work in the square of their length would take minutes; work in proportion takes well under a
 * second. The bound is generous because the machine may be busy.
 */
describe("time in proportion to the input", () => {
  const BOUND = 8_000;
  const long = (unit: string, n: number) => `*filter\n-A X ${unit.repeat(n)}\nCOMMIT\n`;
  const lines = (n: number, unit: (i: number) => string) =>
    `*filter\n${Array.from({ length: n }, (_, i) => unit(i)).join("\n")}\nCOMMIT\n`;
  const bare = (n: number, unit: (i: number) => string) => Array.from({ length: n }, (_, i) => unit(i)).join("\n");
  const row = (rest: string) => `Chain X (1 references)\nDROP all -- 1.1.1.1 1.1.1.1 ${rest}\n`;
  const cases: readonly (readonly [string, string, () => string])[] = [
    ["a long line of matches", "iptables-save", () => long("-m tcp ", 300_000)],
    ["a long line of options", "iptables-save", () => long("--dport 1 ", 300_000)],
    ["a long line of quotes", "iptables-save", () => long('"', 500_000)],
    ["a long line of blanks", "iptables-save", () => long("   ", 500_000)],
    ["a long list of ports", "iptables-save", () => long(`-p tcp -m multiport --dports ${"1,".repeat(300_000)}`, 1)],
    ["a long list of addresses", "iptables-save", () => long(`-s ${"1.1.1.1,".repeat(50_000)}1.1.1.1`, 1)],
    ["insertions", "iptables-save", () => lines(60_000, (i) => `-I INPUT ${1 + (i % 7)} -i e${i % 9}`)],
    ["deletions", "iptables-save", () => lines(40_000, (i) => (i % 2 ? "-D INPUT -i zz" : `-A INPUT -i e${i % 99}`))],
    ["chains", "iptables-save", () => lines(100_000, (i) => `:C${i} - [0:0]`)],
    ["chains deleted", "iptables-save", () => lines(100_000, (i) => (i % 2 ? `-X C${i - 1}` : `:C${i} - [0:0]`))],
    ["chains not declared", "iptables-save", () => lines(60_000, (i) => `-A C${i} -j C${i + 1}`)],
    ["chains in turn", "iptables-save", () => lines(60_000, (i) => `-A C${i % 500} -i a`)],
    ["an excerpt", "iptables-S", () => bare(40_000, (i) => `-A C${i} -j C${i + 1}`)],
    ["an excerpt of policies", "iptables-S", () => bare(40_000, (i) => `-P C${i} ACCEPT`)],
    ["a listing of chains", "iptables-L", () => bare(40_000, (i) => `Chain C${i} (policy ACCEPT)`)],
    ["a listing's long line", "iptables-L", () => row("! owner ".repeat(60_000))],
    ["a listing's long comment", "iptables-L", () => row("/* ".repeat(200_000))],
    ["a listing's long blanks", "iptables-L", () => row(" ".repeat(500_000))],
    ["commands that go on", "iptables-commands", () => "iptables -A X \\\n".repeat(60_000)],
    ["commands in a row", "iptables-commands", () => "iptables -A X $Y;".repeat(30_000)],
  ];
  it.each(cases)("%s", (_name, id, make) => {
    const source = sourceOf("long", make());
    const dialect = dialects.find((d) => d.id === id)!;
    const cost = cpuMilliseconds(() => {
      for (const line of source.lines) for (const d of dialects) d.claim(line);
      dialect.read(source, {});
    });
    expect(cost).toBeLessThan(BOUND);
  });
});
