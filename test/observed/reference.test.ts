import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { observe } from "@hairpin/testing/observed.ts";
import { haveReference, referenceFiles, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { flowText } from "../../packages/core/src/evidence/index.ts";
import { observedDialects } from "../../packages/core/src/parse/index.ts";

const inputs = (...parts: string[]): Record<string, string> =>
  Object.fromEntries(
    referenceFiles(...parts)
      .filter((f) => f.endsWith(".txt"))
      .map((f) => [relative(referencePath(...parts), f), readFileSync(f, "utf8")]),
  );
const seed = (number: string) =>
  observe(Object.fromEntries(Object.entries(inputs("seeds")).filter(([name]) => name.startsWith(number))));

describe.skipIf(!haveReference)("the seeds", () => {
  test("000: the captures of two nodes are one connection, through MASQUERADE", () => {
    const { connections, facts } = seed("000");
    expect(connections).toHaveLength(1);
    const [c] = connections;
    expect(c?.forms).toHaveLength(2);
    expect([...new Set(c?.sightings.map((s) => `${s.role} ${s.place.node}`))]).toEqual([
      "syn k8s-1",
      "syn k8s-2",
      "syn-ack k8s-2",
      "syn-ack k8s-1",
    ]);
    expect(c?.outcome).toBe("answer-lost");
    expect(facts.map((f) => f.code)).toEqual(["TRANSLATED", "BRIDGED", "OTHER_VLAN"]);
  });
  test("001: the LOG lines are one packet's way, hook by hook, in both variants", () => {
    const { logged } = seed("001");
    const hooks = [
      "raw OUTPUT",
      "mangle OUTPUT",
      "nat OUTPUT",
      "filter OUTPUT",
      "mangle POSTROUTING",
      "nat POSTROUTING",
    ];
    expect(logged.map((p) => p.steps.map((s) => `${s.table} ${s.hook}`))).toEqual([hooks, hooks]);
    expect(logged.map((p) => p.steps.map((s) => s.line.out))).toEqual([
      Array(6).fill("flannel0"),
      [...Array(4).fill("eth0"), "flannel0", "flannel0"],
    ]);
    for (const p of logged) expect(p.steps[3]?.changed[0]).toMatch(/^destination .* became /);
  });
  test("001: the connection that works is seen at both ends, the other is sent again and again", () => {
    const { connections } = seed("001");
    expect(connections.map((c) => [c.outcome, new Set(c.sightings.map((s) => s.place.capture.line)).size])).toEqual([
      ["established", 2],
      ["unanswered", 2],
    ]);
  });
  test("002: asked by one card, answered by the other", () => {
    const { connections, facts, observations } = seed("002");
    expect(connections.map((c) => c.outcome)).toEqual(["answer-unheard", "unanswered"]);
    expect(facts.map((f) => f.code)).toEqual(["OTHER_DEVICE"]);
    expect(observations.symptoms.map((s) => s.result)).toEqual(["timeout"]);
  });
  test("003: refused by an ICMP error of the address itself, and pinged on the node itself", () => {
    const { connections, facts } = seed("003");
    expect(connections.map((c) => [flowText(c.request).replace(/ >.*/, ""), c.outcome])).toEqual([
      ["172.20.1.88:57138", "refused"],
    ]);
    expect(facts.map((f) => f.code)).toEqual(["ANSWERED_BY_ITSELF"]);
  });
});

describe.skipIf(!haveReference)("every capture, log, table and client output is read", () => {
  const ids = new Set(observedDialects.map((d) => d.id));
  const folders = [
    ...new Set(referenceFiles("incidents").map((f) => relative(referencePath("incidents"), f).split("/")[0]!)),
  ].filter((f) => /^\d/.test(f));
  const cases: readonly (readonly [string, () => ReturnType<typeof observe>])[] = [
    ...["000", "001", "002", "003", "004"].map((n) => [`seed ${n}`, () => seed(n)] as const),
    ...folders.map((f) => [f, () => observe(inputs("incidents", f, "dumps"))] as const),
  ];
  let dumps = 0;
  test.each(cases)("%s", (_, read) => {
    const { reading } = read();
    for (const dump of reading.dumps.filter((d) => ids.has(d.dialect.id))) {
      dumps++;
      expect(dump.reading.facts.map((f) => f.kind)).not.toContain("not-read-yet");
      expect(dump.reading.diagnostics.filter((d) => d.severity !== "note").map((d) => d.message)).toEqual([]);
      const text = `${dump.file}:${dump.lines[0]}`;
      const empty = Object.values(dump.reading.counts).every((n) => n === 0);
      // A capture that caught nothing says so itself.
      expect([text, empty && dump.dialect.id !== "tcpdump"]).toEqual([text, false]);
    }
  });
  test("there were some", () => expect(dumps).toBeGreaterThan(40));
});
