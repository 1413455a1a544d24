import { readFileSync } from "node:fs";
import { fc } from "@hairpin/testing/property.ts";
import { referenceFiles } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { allDialects, readCase, sourceOf } from "../../packages/core/src/parse/index.ts";
import { holds, someFiles, someText } from "./properties.ts";

/** A fixed number of runs with a fixed seed, so that CI says the same twice; `npm run fuzz` goes on for longer. */
const CI = { numRuns: 400, seed: 20_240_501 };

describe("whatever bytes come in", () => {
  test("a case of any files is read without a throw, every line in its place", () => {
    fc.assert(fc.property(someFiles, holds), CI);
  });
  test("every reader takes any text", () => {
    fc.assert(
      fc.property(fc.constantFrom(...allDialects), someText, (dialect, text) => {
        const source = sourceOf("f", text);
        for (const d of dialect.read(source, {}).diagnostics)
          expect(d.line).toBeLessThanOrEqual(Math.max(1, source.lines.length));
        for (const line of source.lines) dialect.claim(line);
      }),
      { ...CI, numRuns: 1000 },
    );
  });
  test("any command line is taken by every dialect", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.string(), fc.constantFrom("ip", "iptables", "-t", "ipset", "list", "-n", "|", "show", "table")),
          { maxLength: 8 },
        ),
        (words) => {
          for (const d of allDialects) d.printedBy(words);
        },
      ),
      CI,
    );
  });
  test.skipIf(referenceFiles("seeds").length === 0)("mutated real documents", () => {
    const documents = [...referenceFiles("seeds"), ...referenceFiles("incidents").filter((f) => f.includes("/dumps/"))]
      .filter((f) => f.endsWith(".txt"))
      .map((f) => readFileSync(f, "utf8"));
    const cut = fc.tuple(
      fc.constantFrom(...documents),
      fc.nat(),
      fc.nat(),
      fc.string({ maxLength: 20, unit: "binary" }),
    );
    fc.assert(
      fc.property(cut, ([text, from, length, noise]) => {
        const at = from % (text.length + 1);
        holds([["doc.txt", text.slice(0, at) + noise + text.slice(at + (length % 200))]]);
      }),
      { ...CI, numRuns: 150 },
    );
  });
});

/** Seconds of this thread for a text. Measured again if it seems too long, for the machine has other work. */
function cost(text: string, enough: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && best > enough; i++) {
    const before = process.cpuUsage();
    readCase([{ path: "notes.txt", text }]);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
}

describe("time grows with the text, not with its square", () => {
  const lines =
    (...parts: string[]) =>
    (n: number): string =>
      Array.from({ length: n }, (_, i) => parts[i % parts.length]!.replaceAll("%", String(i))).join("\n");
  const SHAPES: readonly (readonly [string, (n: number) => string])[] = [
    ["prose", lines("Some words of prose that nobody claims, number %.")],
    ["open brackets", lines("{", "[", '"a": [')],
    ["prompts", lines("# ip rule", "[root@n% ~]# ip route")],
    ["continued commands", lines("$ ip \\", "> rule \\")],
    ["shells in shells", lines("$ kubectl exec -it p% -- sh", "/ # ssh h%")],
    ["fences", lines("```", "~~~", "x")],
    ["numbers", (n) => Array.from({ length: n }, (_, i) => String(i + 1)).join("\n")],
    ["numbered lines", (n) => Array.from({ length: n }, (_, i) => `${i + 1}  -A INPUT -j ACCEPT`).join("\n")],
    ["quotes", lines("> x", ">", "> - y")],
    ["indented", lines("", "    a", "\tb")],
    ["two dialects in turn", lines("0:\tfrom all lookup local", "default via 10.0.0.1 dev eth0")],
    ["a dump and prose in turn", lines("default via 10.0.0.1 dev eth0", "words and more words here", "")],
    ["members", lines("10.0.0.%", "Members:", "Name: S%")],
    ["placeholders", lines("1: from <VIP-%> to <GW> = 10.0.0.1 x.x.x.x lookup main")],
    ["rules", lines('-A C% -m comment --comment "x" -j C%', ":C% - [0:0]", "*nat", "COMMIT")],
    ["damaged rules", lines("-A INPUT -m nope --nope % -j", "-A", "-A INPUT %%%")],
    ["blank", lines("", " ", "\t")],
  ];
  test.each(SHAPES)("%s", (_, make) => {
    cost(make(500), 0);
    const small = cost(make(4000), 0);
    const bound = Math.max(0.25, small * 4 * 2.5);
    expect(cost(make(16_000), bound)).toBeLessThan(bound);
  });

  const LONG: readonly (readonly [string, string])[] = [
    ["a word", "a"],
    ["blanks", " "],
    ["tabs", "\t"],
    ["dashes", "-"],
    ["brackets", "["],
    ["angles", "<a"],
    ["crosses", "x."],
    ["digits", "1"],
    ["dots and digits", "1."],
    ["colons", "a:"],
    ["quotes", '"'],
    ["rule options", "-m comment --comment x "],
    ["prompt-like", "a@b:"],
    ["backticks", "`ip` "],
    ["wide", "文"],
    ["commas", "10.0.0.1,"],
    ["equals", "a=b "],
  ];
  test.each(LONG)("one line of %s", (_, part) => {
    for (const head of [
      "",
      "-A INPUT ",
      "default ",
      "[root@n ~]# ",
      "  -> ",
      "Name: ",
      "net.ipv4.",
      "2: eth0: <",
      "    inet ",
      "<-- ",
    ]) {
      const text = head + part.repeat(Math.floor(200_000 / part.length));
      expect(cost(text, 0.8), head).toBeLessThan(0.8);
    }
  });
});
