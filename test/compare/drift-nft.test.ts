import { say } from "@hairpin/core/messages/index.ts";
import { haveReference } from "@hairpin/testing/reference.ts";
import { describe, expect, it } from "vitest";
import { type ObjectsCase, objectCases } from "../kube-proxy/objects-harness.ts";
import { Recorded } from "./recorded-state.ts";

const cases: readonly ObjectsCase[] = haveReference ? objectCases("objects-rules", "nftables") : [];
const FILE = "nft-list-ruleset.txt";

const shown = (all: ReturnType<Recorded["differences"]>): readonly string[] =>
  all.map((d) => `${d.code} ${say(d.text)}`);

/** Every so many lines is changed; HAIRPIN_EVERY=1 changes them all. */
const EVERY = Number(process.env.HAIRPIN_EVERY ?? 13);

/** An element of a map or a rule; what the gate of 1.37 writes is not modelled. */
const isOfInterest = (line: string): boolean => /^add (?:rule|element) /.test(line) && !/localhost-nodeport/.test(line);

const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/(dnat to (?:\d+\.)+)\d+/, "$199"],
  [/(: (?:\d+\.)+)\d+( \. \d+)/, "$199$2"],
  [/\bdrop\b/, "accept"],
  [/0x00004000/, "0x00002000"],
  [/jump (?:mark-for-masquerade|services)/, "accept"],
];

function* places(): Generator<readonly [ObjectsCase, Recorded, readonly string[], number]> {
  let n = 0;
  for (const c of cases) {
    const recorded = new Recorded(c, c.versions.at(-1)!);
    const lines = recorded.state[FILE]!.split("\n");
    for (const [at, line] of lines.entries())
      if (isOfInterest(line) && n++ % EVERY === 0) yield [c, recorded, lines, at];
  }
}

describe.skipIf(!haveReference)(
  "expectation against reality in nftables mode, as kube-proxy of nine releases wrote it",
  () => {
    it("is silent on what was recorded", () => {
      const loud = cases.flatMap((c) =>
        [...new Set([c.versions[0]!, c.versions.at(-1)!])].flatMap((version) => {
          const found = shown(new Recorded(c, version).differences());
          return found.length === 0 ? [] : [`${c.name} ${version}: ${found.join("; ")}`];
        }),
      );
      expect(loud).toEqual([]);
      expect(cases.length).toBeGreaterThan(40);
    }, 120_000);

    it("names a rule that is gone, and one that is changed", () => {
      const [wrong, codes] = [[] as string[], new Map<string, number>()];
      let tried = 0;
      for (const [c, recorded, lines, at] of places()) {
        const edits = [
          lines.filter((_, i) => i !== at),
          ...CHANGES.flatMap(([pattern, to]) => {
            const changed = lines[at]!.replace(pattern, to);
            return changed === lines[at] ? [] : [lines.map((l, i) => (i === at ? changed : l))];
          }),
        ];
        for (const edit of edits) {
          tried++;
          const found = recorded.differences({ [FILE]: edit.join("\n") });
          for (const { code } of found) codes.set(code, (codes.get(code) ?? 0) + 1);
          if (found.length === 0) wrong.push(`${c.name}: ${lines[at]}: nothing`);
        }
      }
      console.log(`${tried} changes: ${[...codes].map(([code, n]) => `${code} ${n}`).join(", ")}`);
      expect(wrong).toEqual([]);
      expect(tried).toBeGreaterThan(60);
    }, 120_000);

    it("is told from another mode's rules, from none, and by another release's layout", () => {
      const c = cases.find((one) => one.versions.some((v) => /^v?1\.33/.test(v)))!;
      const recorded = new Recorded(c, c.versions.at(-1)!);
      const codes = (text: string) => [...new Set(recorded.differences({ [FILE]: text }).map((d) => d.code))];
      expect(codes("table inet other {\n}\n")).toEqual(["RULES_MISSING"]);
      expect(codes(recorded.state[FILE]!.replace(/hook forward priority [^;]+;/, "hook forward priority 7 ;"))).toEqual(
        ["FOREIGN_VERSION"],
      );
    });
  },
);
