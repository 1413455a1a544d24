import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { generateIpset } from "../../../../../bench/generate-ipvs.ts";
import type { IpSet } from "../../model/index.ts";
import { readCase } from "../case/read-case.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { sourceOf } from "../source.ts";
import { wholeIpsets } from "./lazy.ts";
import { readSave } from "./save.ts";

const FILE = "ipset-save.txt";

const setsOf = (reading: Reading): readonly IpSet[] => reading.facts.flatMap((f) => (f.kind === "ipset" ? f.sets : []));
/** Getters asked. */
const plain = (reading: Reading): unknown => JSON.parse(JSON.stringify(reading.facts));

const CREATES = [
  "hash:ip,port family inet hashsize 1024 maxelem 65536",
  "hash:ip,port family inet hashsize 1024 maxelem 65536 timeout 0 counters comment",
  "hash:ip family inet hashsize 1024",
  "hash:net family inet nonsense 3",
  "hash:ip,port,ip family inet6",
  "list:set size 8",
  "bitmap:port range 0-1024",
];
const ADDS = [
  "10.0.0.1,tcp:80",
  "10.0.0.1,tcp:80 timeout 3 packets 1 bytes 60",
  '10.0.0.2,udp:53 comment "a b"',
  "10.0.0.3",
  "10.0.0.0/24 nomatch",
  "10.0.0.1,tcp:80,10.0.0.1",
  "10.0.0.300",
  "10.0.0.1,",
  "10.0.0.1,nonsense:3",
  "10.0.0.1-10.0.0.9",
  "2001:db8::1,tcp:80",
  "other-set",
];
const set = fc
  .tuple(
    fc.constantFrom("one", "two", "three", "KUBE-X"),
    fc.constantFrom(...CREATES),
    fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...ADDS.slice(0, 5)) }, fc.constantFrom(...ADDS)), {
      maxLength: 5,
    }),
    fc.constantFrom("", "", "", "", "", "", "", "", "", "-exist ", "add two 10.0.0.1\n", "del one 10.0.0.1\n", "\n"),
  )
  .map(([name, create, adds, odd]) =>
    [
      `create ${odd === "-exist " ? odd : ""}${name} ${create}\n`,
      ...adds.map((a) => `add ${name} ${a}\n`),
      odd.endsWith("\n") ? odd : "",
    ].join(""),
  );
const saves = fc.array(set, { minLength: 1, maxLength: 4 }).map((sets) => sets.join(""));
const contexts: fc.Arbitrary<DumpContext> = fc.constantFrom<DumpContext[]>(
  {},
  { command: ["ipset", "save"] },
  { command: ["ipset", "save", "one"] },
  { partial: { value: "grep", by: "command" } },
);

describe("sets that are read lazily", () => {
  it("hold what the reader of the whole finds, and it says the same of them", () => {
    let lazy = 0;
    fc.assert(
      fc.property(saves, contexts, (text, context) => {
        const read = wholeIpsets(text, 0)?.read(FILE, context);
        if (read === undefined) return;
        lazy++;
        const whole = readSave(sourceOf(FILE, text), context);
        expect(plain(read)).toEqual(plain(whole));
        expect(read.diagnostics).toEqual(whole.diagnostics);
        expect(read.counts).toEqual(whole.counts);
      }),
      { numRuns: 1500 },
    );
    expect(lazy).toBeGreaterThan(200);
  });

  it("are what a case reads of a large dump, and copied with their entries", () => {
    const text = generateIpset({ services: 2000, endpoints: 3 });
    const [dump] = readCase([{ path: FILE, text }]).dumps;
    expect(dump!.dialect.id).toBe("ipset-save");
    expect(Object.getOwnPropertyDescriptor(setsOf(dump!.reading)[0]!, "entries")?.get).toBeDefined();
    const copy = { ...setsOf(dump!.reading)[1]!, name: "other" };
    expect(copy.entries).toEqual(setsOf(readSave(sourceOf(FILE, text), {}))[1]!.entries);
    expect(dump!.reading.counts).toEqual({ sets: 2, entries: 8000 });
  });
});
