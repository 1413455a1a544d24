import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cpuMilliseconds } from "@hairpin/testing/cpu.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import type { Dialect, DumpContext, Reading } from "../../packages/core/src/parse/dialect.ts";
import { dialects as ipset, printList, printSave as printSets } from "../../packages/core/src/parse/ipset/index.ts";
import { dialects as ipvs, printListing, printSave } from "../../packages/core/src/parse/ipvs/index.ts";
import { dialects as machine } from "../../packages/core/src/parse/machine/index.ts";
import { sourceOf, splitLines } from "../../packages/core/src/parse/source.ts";
import { printEntries, dialects as sysctl } from "../../packages/core/src/parse/sysctl/index.ts";

const all: readonly Dialect[] = [...ipset, ...ipvs, ...sysctl, ...machine];
const fixture = (path: string): string => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");
const corpus: readonly string[] = [
  fixture("ipset/fixtures/ipset-list-6.1.txt"),
  fixture("ipset/fixtures/ipset-save-6.1.txt"),
  ...fixture("ipvs/fixtures/listings.txt")
    .split(/^@@ .*\n/m)
    .filter((s) => s !== ""),
  fixture("ipvs/fixtures/session.txt").replace(/^> /gm, "ipvsadm ").slice(0, 8000),
  "net.ipv4.conf.eth0/100.rp_filter = 1\n/proc/sys/net/ipv4/conf/all/rp_filter:0\n==> /proc/sys/net/ipv4/ip_forward <==\n1\n",
  "sysctl -w net.ipv4.ip_forward=1\nfor i in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 2 > $i; done\n",
  "Linux node 5.15.0-91-generic #101 SMP x86_64 GNU/Linux\nModule Size Used by\nip_vs 188416 0\niptables v1.8.9 (nf_tables)\n",
];
const contexts: readonly DumpContext[] = [
  {},
  { command: ["ipset", "list", "X"], partial: { value: "through grep", by: "command" } },
  { command: ["cat", "/proc/sys/net/ipv4/ip_forward"], filters: [["grep", "-A", "3", "x"]] },
  { command: ["ipvsadm", "-ln", "-t", "10.0.0.1:80"] },
];

/** Whatever was read can be printed, and points into what was given. */
function check(reading: Reading, text: string): void {
  const lines = splitLines(text);
  for (const d of reading.diagnostics) {
    const inside = d.line >= 1 && d.line <= Math.max(1, lines.length) && d.column >= 1 && d.length >= 1;
    if (!inside || d.text !== (lines[d.line - 1] ?? "") || d.message === "") expect(d).toBe("inside its file");
  }
  for (const fact of reading.facts) {
    if (fact.kind === "ipset") printList(fact.sets) + printSets(fact.sets);
    if (fact.kind === "ipvs") printListing(fact.services) + printSave(fact.services);
    if (fact.kind === "sysctls") printEntries(fact.entries);
  }
  for (const n of Object.values(reading.counts)) expect(Number.isInteger(n)).toBe(true);
}

function feed(text: string): void {
  const source = sourceOf("hostile", text);
  for (const dialect of all) {
    for (const line of source.lines) dialect.claim(line);
    for (const context of contexts) check(dialect.read(source, context), text);
  }
}

describe("whatever comes in", () => {
  test("any text is read without a throw", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => feed(text)),
      { numRuns: 300 },
    );
  });
  test("any words of the dialects in any order", () => {
    const words = [...new Set(corpus.join(" ").split(/\s+/))];
    const word = fc.oneof(fc.constantFrom(...words), fc.constantFrom("\n", "\n", ",", ":", '"', "--", "->", "=", ""));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (list) => feed(list.join(" "))),
      { numRuns: 500 },
    );
  });
  test("real dumps with letters changed, lines cut, doubled and moved", () => {
    const edit = fc.record({
      at: fc.nat(10_000),
      what: fc.constantFrom("delete", "double", "cut", "swap", "insert"),
      text: fc.string({ maxLength: 8 }),
    });
    fc.assert(
      fc.property(fc.constantFrom(...corpus), fc.array(edit, { minLength: 1, maxLength: 8 }), (dump, edits) => {
        let text = dump.slice(0, 2500);
        for (const { at, what, text: extra } of edits) {
          const i = at % (text.length + 1);
          if (what === "delete") text = text.slice(0, i) + text.slice(i + 1 + extra.length);
          else if (what === "double") text = text.slice(0, i) + text.slice(Math.max(0, i - 30));
          else if (what === "cut") text = text.slice(0, Math.max(1, i));
          else if (what === "swap") text = text.slice(i) + text.slice(0, i);
          else text = text.slice(0, i) + extra + text.slice(i);
        }
        feed(text);
      }),
      { numRuns: 400 },
    );
  });
  test("any command line is asked about without a throw", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom("ipset", "ipvsadm", "sysctl", "-n", "cat")), { maxLength: 6 }),
        (words) => {
          for (const dialect of all) dialect.printedBy(words);
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Ten times the input may take about ten times as long; a square would be a hundred. Short runs are noise and are let pass. */
function linear(make: (n: number) => string): void {
  const time = (n: number): number => {
    const source = sourceOf("hostile", make(n));
    return cpuMilliseconds(() => {
      for (const dialect of all) {
        for (const line of source.lines.slice(0, 5000)) dialect.claim(line);
        dialect.read(source, {});
      }
    });
  };
  time(1000);
  const [small, large] = [time(20_000), time(200_000)];
  expect(large, `${small} ms, then ${large} ms`).toBeLessThan(Math.max(2500, small * 45));
}

describe("time grows with the input and no faster", () => {
  const tokens = [
    "a",
    " ",
    ",",
    ":",
    '"',
    "-",
    "0",
    "f:",
    "1.",
    "(",
    "/proc/sys/",
    "comment ",
    'comment "x" ',
    "timeout 1 ",
    "-A -t ",
    "net.ipv4.conf.",
    "= ",
    "tcp:80,",
    "10.0.0.1-",
    "\t",
  ];
  test.each(tokens)("one line of %j", (token) => linear((n) => token.repeat(Math.ceil(n / token.length))));
  test.each([
    "Name: x Type: ",
    "add a ",
    "create a hash:ip ",
    "TCP  10.0.0.1:80 rr ",
    "  -> 10.0.0.1:80 Masq ",
    "ipset add a 10.0.0.1 ",
    "for i in /proc/sys/",
    "sysctl -w a.b=",
  ])("one line that begins with %j", (start) => linear((n) => start + "x ".repeat(n / 2)));
  test.each([
    "Name: x\nType: hash:ip\nMembers:\n10.0.0.1\n",
    "create a hash:ip\nadd a 10.0.0.1\ndel a 10.0.0.1\n",
    "add a 10.0.0.1-10.0.0.9\nflush b\n",
    "TCP  10.0.0.1:80 rr\n  -> 10.1.0.1:80 Masq 1 0 0\n",
    "-A -t 10.0.0.1:80 -s rr\n-a -t 10.0.0.1:80 -r 10.1.0.1:80 -m\n",
    "net.ipv4.ip_forward = 1\n",
    "/proc/sys/net/ipv4/ip_forward\n1\n",
    "cat: /proc/sys/net/ipv4/x: No such file or directory\n1\n",
    "\n",
    "--\n",
  ])("many lines of %j", (lines) => linear((n) => lines.repeat(Math.ceil(n / lines.length))));
  test.each<[string, (i: number) => string]>([
    ["sets", (i) => `create s${i} hash:ip`],
    ["elements", (i) => `add s ${i >> 16}.${(i >> 8) & 255}.${i & 255}.1`],
    [
      "ranges after a script's line",
      (i) => (i < 2 ? "flush x" : `add s 10.${i >> 8}.${i & 255}.1-10.${i >> 8}.${i & 255}.9`),
    ],
    [
      "ranges and elements taken out",
      (i) => (i % 2 ? `add s 10.0.0.0-10.0.${i >> 8}.${i & 255}` : `del s 10.0.1.${i & 255}`),
    ],
    ["services", (i) => `-A -t 10.${i >> 16}.${(i >> 8) & 255}.${i & 255}:80 -s rr`],
    ["switches", (i) => `sysctl -w net.ipv4.conf.eth${i}.rp_filter=1`],
  ])("many different %s", (_, line) =>
    linear((n) => Array.from({ length: Math.ceil(n / 20) }, (_, i) => line(i)).join("\n")),
  );
});
