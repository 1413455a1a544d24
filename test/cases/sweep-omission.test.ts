import { loadedCase } from "@hairpin/case/index.ts";
import { type Sweep, sweep, sweepable } from "@hairpin/core/sweep/index.ts";
import { describe, expect, test } from "vitest";
import { bundledCases } from "./bundled.ts";

/** What becomes of each flow. */
function verdictsOf(loaded: Parameters<typeof sweepable>[0]): ReadonlyMap<string, string> {
  const classOf = new Map<string, string>();
  const walking = sweep(sweepable(loaded, []), {
    member: ({ source, target }, id) =>
      classOf.set([source.from, source.node, String(target.address), target.port, target.protocol].join(" "), id),
  });
  let found: Sweep | undefined;
  while (found === undefined) {
    const step = walking.next();
    if (step.done === true) found = step.value;
  }
  const verdicts = new Map(found.classes.map((c) => [c.id, c.verdict]));
  return new Map([...classOf].map(([flow, id]) => [flow, verdicts.get(id)!]));
}

// What was seen of one flow once decided an open fact of another, which then was called reachable.
describe.each(bundledCases())("$name without one of its dumps", ({ loaded }) => {
  const before = verdictsOf(loaded);
  const stated = loaded.inputs.find((i) => i.path.endsWith("case.yaml"));
  const dumps = loaded.inputs.filter(
    (i) => i !== stated && /\/(?:ip|nft|ebtables|bridge|sysctl|ss)[^/]*$/.test(i.path),
  );

  test("calls no flow reachable that fails", () => {
    for (const left of dumps) {
      const after = verdictsOf(loadedCase({ inputs: loaded.inputs.filter((i) => i !== left), stated, notes: [] }));
      const green = [...after].filter(([flow, verdict]) => {
        const was = before.get(flow);
        return verdict === "reachable" && (was === "unreachable" || was === "intermittent");
      });
      expect([left.path, green]).toEqual([left.path, []]);
    }
  }, 120_000);
});
