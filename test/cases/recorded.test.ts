import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { haveReference, referenceFiles } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { loadConformance, VM_ROOT } from "../conformance/cases.ts";
import { readRecording, unpredicted } from "./recorded.ts";

const FOLDER = fileURLToPath(new URL("recorded/", import.meta.url));
const files = readdirSync(FOLDER).sort();

/** The node of each case whose hooks the experiments recorded. */
const watched = (stacks: readonly { readonly name: string; readonly kind: string }[]): string =>
  stacks.find((s) => s.kind === "node")!.name;

describe("what experiments recorded on real kernels is what the walk predicts", () => {
  test.each(files)("%s", (file) => {
    const recording = readRecording(readFileSync(`${FOLDER}${file}`, "utf8"));
    const { world, exploration } = loadConformance(file.replace(/\.6\.\d+\.txt$/, ""), [], VM_ROOT);
    const { result, hooks, captures, conntrack } = recording;
    expect(result !== undefined || hooks.length + captures.length + conntrack.length > 0).toBe(true);
    const tries = exploration.branches.map((b) => unpredicted(recording, b, watched(world.stacks)));
    expect([...tries].sort((a, b) => a.length - b.length)[0]).toEqual([]);
  });
});

/** Sections that are no recording of a case here: where else they are tested, or why the walk does not predict them. */
const ELSEWHERE: readonly (readonly [experiment: string, section: string, why: string])[] = [
  ["30", "kube-ipvs0 DOWN", "a listing of the local table, on which every case with kube-ipvs0 stands"],
  ["31", "1b. 'ip route get'", "the two look-ups are the route steps of ipvs-second-card-strict"],
  ["32", "6. non-SYN first packet", "a frame put in: test/conformance/ipvs-sequences.test.ts"],
  ["35", "TUN", "tunnel mode is not modelled: undetermined"],
  ["35", "REMOVED real server", "a change in mid-flow: test/conformance/ipvs-sequences.test.ts"],
  ["35", "conn_reuse_mode", "several connections: test/conformance/ipvs-sequences.test.ts"],
  ["36", "macvlan", "macvlan is not modelled: undetermined"],
  ["36", "ipvlan", "ipvlan is not modelled: undetermined"],
  ["36", "ipip", "what a tunnel wraps is not modelled: its ends are joined by address"],
];

describe.skipIf(!haveReference)("every result of the experiments in the VM", () => {
  const printed = referenceFiles("kernel", "experiments")
    .filter((path) => /\/3\d-[^/]*\.6\.1\.out$/.test(path))
    .flatMap((path) => {
      const experiment = path.replace(/^.*\//, "").slice(0, 2);
      const titles = [...readFileSync(path, "utf8").matchAll(/^=== (.*)$/gm)].map((m) => m[1]!);
      return titles.map((title) => [experiment, title] as const);
    });
  const headers = files.map((f) => readFileSync(`${FOLDER}${f}`, "utf8").split("\n")[0]!);

  test.each(printed)("%s: %s", (experiment, title) => {
    const here = headers.some((h) => {
      const [, number, told] = /^# experiment (\d+)\S* kernel 6\.1: (.*)$/.exec(h) ?? [];
      return number === experiment && told !== undefined && title.startsWith(told);
    });
    const told = ELSEWHERE.some(([e, section]) => e === experiment && title.startsWith(section));
    expect(here || told).toBe(true);
  });

  test("there are experiments to look at", () => {
    expect(printed.length).toBeGreaterThan(40);
  });
});
