import { say } from "@hairpin/core/messages/index.ts";
import { haveReference } from "@hairpin/testing/reference.ts";
import { describe, expect, it } from "vitest";
import { type ObjectsCase, objectCases } from "../kube-proxy/objects-harness.ts";
import { Recorded } from "./recorded-state.ts";

const cases: readonly ObjectsCase[] = haveReference
  ? [...objectCases("objects-rules", "iptables"), ...objectCases("objects-ipvs", "ipvs")]
  : [];

const shown = (all: ReturnType<Recorded["differences"]>): readonly string[] =>
  all.map((d) => `${d.code} ${say(d.text)}`);

/** Every so many lines is changed; HAIRPIN_EVERY=1 changes them all. */
const EVERY = Number(process.env.HAIRPIN_EVERY ?? 31);
/** Rules of a large cluster take long to read so often. */
const LARGE = 60_000;

const isServer = (file: string, line: string): boolean => file.startsWith("ipvsadm") && line.startsWith("-A ");

/** A line, with what belongs to it: a virtual server goes with its real servers. */
function without(lines: readonly string[], file: string, at: number): string {
  const address = lines[at]!.split(" ")[2]!;
  const goes = (line: string, i: number): boolean =>
    i === at || (isServer(file, lines[at]!) && line.startsWith("-a ") && line.split(" ")[2] === address);
  return lines.filter((l, i) => !goes(l, i)).join("\n");
}

/** A rule with a comment and no target does nothing: it is there to be read. */
const isRemark = (file: string, line: string): boolean => file.includes("tables") && !/ -[jg] /.test(line);

const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/--to-destination ((?:\d+\.)+)\d+/, "--to-destination $199"],
  [/--dport (\d+)/, "--dport 4$1"],
  [/ -d (\d+\.\d+\.\d+)\.\d+ /, " -d $1.251 "],
  [/! -s \S+ /, ""],
  [/-j (?:REJECT|DROP|ACCEPT)/, "-j RETURN"],
  [/--probability 0\.\d+/, "--probability 0.7100000000"],
  [/0x4000/, "0x2000"],
  [/--match-set \S+/, "--match-set OTHER"],
  [/^(add .*[ :])(\d+)$/, "$14$2"],
  [/-r ((?:\d+\.)+)\d+:/, "-r $199:"],
  [/-w 1$/, "-w 3"],
  [/-s rr/, "-s lc"],
];

/** All lines of all files of all cases, each EVERY-th of them. */
function* places(
  changes: number,
): Generator<readonly [ObjectsCase, Recorded, string, readonly string[], number, number]> {
  let n = 0;
  for (const c of cases) {
    const recorded = new Recorded(c, c.versions.at(-1)!);
    if (Object.values(recorded.state).join("").length > LARGE) continue;
    for (const [file, text] of Object.entries(recorded.state)) {
      const lines = text.split("\n");
      for (const [at, line] of lines.entries()) {
        if (!/^(?:-A|-a|add) /.test(line) || isRemark(file, line)) continue;
        for (let change = 0; change < changes; change++)
          if (n++ % EVERY === 0) yield [c, recorded, file, lines, at, change];
      }
    }
  }
}

describe.skipIf(!haveReference)("expectation against reality, as kube-proxy of 20 releases wrote it", () => {
  it("is silent on what was recorded", () => {
    const loud = cases.flatMap((c) =>
      [...new Set([c.versions[0]!, c.versions.at(-1)!])].flatMap((version) => {
        const found = shown(new Recorded(c, version).differences());
        return found.length === 0 ? [] : [`${c.name} ${version}: ${found.join("; ")}`];
      }),
    );
    expect(loud).toEqual([]);
    expect(cases.length).toBe(313);
  }, 120_000);

  it("names exactly the rule, set entry or server that is gone", () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const [c, recorded, file, lines, at] of places(1)) {
      const rest = without(lines, file, at);
      // A list of nothing is no list: whether there are no servers, or nobody could read them, it does not say.
      if (file.startsWith("ipvsadm") && rest.trim() === "") continue;
      tried++;
      const found = recorded.differences({ [file]: rest });
      if (found.length !== 1) wrong.push(`${c.name}: ${lines[at]}: ${shown(found).join("; ") || "nothing"}`);
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(150);
  }, 120_000);

  it("names exactly what is changed", () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const [c, recorded, file, lines, at, change] of places(CHANGES.length)) {
      const [pattern, to] = CHANGES[change]!;
      const changed = lines[at]!.replace(pattern, to);
      if (changed === lines[at]) continue;
      tried++;
      const found = recorded.differences({ [file]: lines.map((l, i) => (i === at ? changed : l)).join("\n") });
      if (found.length !== 1) wrong.push(`${c.name}: ${changed}: ${shown(found).join("; ") || "nothing"}`);
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  }, 120_000);
});
