import { haveReference, referenceFiles, referenceJson, referenceText } from "@hairpin/testing/reference.ts";
import { all, dialectOf, segmentsOf } from "@hairpin/testing/segments.ts";
import { afterAll, describe, expect, test } from "vitest";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { canNetns, Netns } from "./netns.ts";

if (!haveReference) console.warn("SKIPPED: dumps of the reference material (HAIRPIN_REFERENCE is not set)");

/** Listings of ip, bridge and net-tools among the incidents, and how many records each file holds. */
const INCIDENTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "01": { "ip-addr": 2 },
  "02": { "arp-n": 1, "ip-route": 4 },
  "03": { ifconfig: 2, "ip-neigh": 1, "ip-route": 1 },
  "05": { ifconfig: 3 },
  "06": { "ip-addr": 6, "ip-link": 3, "ip-route-get": 1 },
  "08": { "ip-route": 19 },
  "09": { "ip-addr": 3, "ip-route-get": 1 },
  "10": { "ip-addr": 6, "ip-route": 2, "ip-route-get": 1 },
  "11": { "ip-addr": 2, "ip-route": 1 },
  "15": { "ip-addr": 2 },
  "16": { "ip-route": 6 },
  "17": { "hairpin-mode": 2, "ip-addr": 2, "ip-link": 2 },
  "24": { "ip-addr": 9, "ip-route-get": 1 },
  "27": { "ip-addr": 8, "ip-route": 5 },
  "32": { "ip-addr": 14 },
  "39": { "ip-route": 5 },
  "41": { "ip-addr": 6, "ip-route": 9 },
  "47": { "bridge-fdb": 1, "ip-link": 1, "ip-route": 5 },
};

describe.skipIf(!haveReference)("the incidents", () => {
  test("every listing is read whole", () => {
    const found: Record<string, Record<string, number>> = {};
    const files = referenceFiles("incidents").filter((f) =>
      /\/dumps\/.*\/(ip-(addr|link|d-link|route|rule|neigh)|ifconfig|arp|bridge|hairpin)[^/]*\.txt$/.test(f),
    );
    for (const file of files) {
      const number = /incidents\/(\d+)-/.exec(file)![1]!;
      for (const segment of segmentsOf(file, referenceText(file.slice(file.indexOf("incidents/"))))) {
        const d = dialectOf(segment);
        // A dump of another kind in the same file: `cat` of a settings file.
        if (d === undefined) continue;
        const reading = d.read(segment.source, segment.context);
        expect(reading.diagnostics, file).toEqual([]);
        const records = Object.values(reading.counts).reduce((a, b) => a + b, 0);
        found[number] ??= {};
        found[number][d.id] = (found[number][d.id] ?? 0) + records;
      }
    }
    expect(found).toEqual(INCIDENTS);
  });
});

describe.skipIf(!haveReference)("the seeds", () => {
  test("the one on the CNI's load balancer has its rules, tables and devices", () => {
    const file = referenceFiles("seeds").find((f) => f.includes("002_") && f.endsWith(".txt"))!;
    const counts: string[] = [];
    for (const segment of segmentsOf(file, referenceText(file.slice(file.indexOf("seeds/"))))) {
      const words = segment.context.command;
      const bare = words?.slice(words.indexOf("ip"));
      const d = bare === undefined ? undefined : all.find((x) => x.printedBy(bare));
      if (d === undefined) continue;
      const first = segment.source.lines.findIndex((l) => l.trim() === "");
      const lines = first < 0 ? segment.source.lines : segment.source.lines.slice(0, first);
      const reading = d.read({ ...segment.source, lines }, { ...segment.context, command: bare! });
      expect(reading.diagnostics).toEqual([]);
      counts.push(`${d.id} ${Object.values(reading.counts).join("+")}`);
    }
    expect(counts).toEqual(["ip-rule 23", "ip-addr 2+2", "ip-route 9", "ip-route 2", "ip-link 11"]);
  });
});

interface Step {
  readonly command: string;
  readonly expectContains: readonly string[];
}
interface TestFile {
  readonly file: string;
  readonly steps: readonly Step[];
}

/** The test-suite of iproute2: its commands are run as they stand, and what they print is read. */
describe.skipIf(!haveReference || !canNetns)("iproute2's own tests", () => {
  const opened: Netns[] = [];
  afterAll(() => {
    for (const ns of opened) ns.close();
  });
  test("what their commands print here is read whole", () => {
    const files = referenceJson<TestFile[]>("corpora", "iproute2-tests.json");
    let shown = 0;
    let ran = 0;
    const refused: string[] = [];
    for (const file of files) {
      const ns = new Netns();
      opened.push(ns);
      for (const step of file.steps) {
        // A bridge stands in for a dummy device, which this kernel may lack; commands cut at a line end are not whole.
        const words = step.command.replace("type dummy", "type bridge").split(/\s+/);
        if (step.command.includes("\\") || step.command.includes("`") || /^ip (netns|-d monitor)/.test(step.command))
          continue;
        const result = ns.exec(...words);
        ran++;
        if (!result.ok) {
          refused.push(step.command);
          continue;
        }
        const d = all.find((x) => x.printedBy(words.map((w) => w.replace(/^--json$/, "-j"))));
        if (d === undefined || result.out.trim() === "") continue;
        const reading = d.read(sourceOf(file.file, result.out), { command: words });
        expect(reading.diagnostics, `${step.command}\n${result.out}`).toEqual([]);
        // `bridge vlan` of a kernel without VLAN filtering prints its head only.
        const records = Object.values(reading.counts).reduce((a, b) => a + b, 0);
        if (!step.command.startsWith("bridge vlan")) expect(records, step.command).toBeGreaterThan(0);
        shown++;
      }
    }
    console.info(
      `iproute2 tests: ${ran} commands run, ${shown} listings read, ${refused.length} refused by this kernel`,
    );
    expect(shown).toBeGreaterThanOrEqual(9);
  });

  test("what they expect to see is understood as it stands", () => {
    const files = referenceJson<TestFile[]>("corpora", "iproute2-tests.json");
    const texts = files.flatMap((f) => f.steps.flatMap((s) => s.expectContains));
    const route = texts.filter((t) => t.startsWith("default via"));
    expect(route.length).toBeGreaterThan(0);
    for (const text of route) {
      const reading = all.find((d) => d.id === "ip-route")!.read(sourceOf("x", text), {});
      expect([reading.diagnostics, reading.counts]).toEqual([[], { routes: 1 }]);
    }
    expect(texts.filter((t) => /^tos /.test(t)).length).toBeGreaterThan(0);
    const rule = all.find((d) => d.id === "ip-rule")!.read(sourceOf("x", "7:\tfrom all tos 0x10 lookup main"), {});
    expect(rule.diagnostics).toEqual([]);
  });
});
