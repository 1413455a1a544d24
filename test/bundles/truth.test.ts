import { haveReference } from "@hairpin/testing/reference.ts";
import { afterAll, describe, expect, test } from "vitest";
import { Askable } from "../../packages/core/src/diagnose/index.ts";
import { bundlesOf } from "../../packages/core/src/parse/index.ts";
import { bundleOf, flowsOf, type Grade, gradeFlow, metaOf } from "./grade.ts";
import { OPEN } from "./open.ts";

/** The kinds that each sample is made of; a paste is no bundle. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  antctl: ["antrea", "antrea-agent"],
  calico: ["calico"],
  cilium: ["cilium", "cilium-bugtool"],
  "cluster-info": ["cluster-info"],
  eks: ["eks"],
  "k8s-snap": ["cluster-info", "k8s-snap"],
  kubeskoop: ["kubeskoop"],
  "must-gather": ["must-gather"],
  netshoot: [],
  periscope: ["periscope"],
  rancher: ["rancher"],
  sos: ["sos"],
  talos: ["talos", "talos-node"],
};

/** Bundles as people have them, packed as their collectors pack them; each flow was asked of a real kernel. */
describe.skipIf(!haveReference)("the bundles people already have", () => {
  const tally: Partial<Record<Grade, number>> = {};
  afterAll(() => console.log(`flows of bundles: ${JSON.stringify(tally)}`));

  describe.each(haveReference ? Object.keys(KINDS) : [])("%s", (kind) => {
    const loaded = bundleOf(kind);
    const askable = new Askable(loaded, []);

    test("its kinds are recognised", () => {
      const found = bundlesOf(loaded.inputs).all.map((b) => b.kind.id);
      expect([...new Set(found)].sort()).toEqual(KINDS[kind]);
    });

    test("its nodes are known by name", () => {
      const nodes = askable.world.stacks.filter((s) => s.kind === "node").map((s) => s.name);
      expect([...nodes].sort()).toEqual([...metaOf(kind).bundleOf].sort());
    });

    test("its flows end as in the kernel", () => {
      const graded = flowsOf(kind).map((flow) => gradeFlow(askable, flow));
      for (const { grade } of graded) tally[grade] = (tally[grade] ?? 0) + 1;
      const other = graded.filter((g) => g.grade !== "right").map((g) => [g.id, g.grade] as const);
      // An entry that became right is taken off the list.
      expect(Object.fromEntries(other)).toEqual(Object.fromEntries(OPEN.filter(([id]) => id.startsWith(`${kind}-s-`))));
    });
  });
});
