import { describe, expect, test } from "vitest";
import { cautious } from "../../packages/core/src/diagnose/index.ts";
import { groundId } from "../../packages/core/src/model/index.ts";
import { groundsOf, judge } from "../../packages/core/src/trace/index.ts";
import { askings, bundledCases, worldOf } from "./bundled.ts";

/** Of these nodes nothing but objects was shown. */
const NOT_DUMPED: ReadonlySet<string> = new Set(["objects-alone"]);

/** With complete dumps of client, nodes and endpoints nothing is left open: caution is no way out. */
describe.each(bundledCases().map((c) => [c.name, c] as const))(
  "%s is dumped as far as it is asked",
  (name, bundled) => {
    test.each(askings(bundled).map((a) => [a.name, a] as const))("%s", (_what, asking) => {
      const { exploration } = bundled.askable.ask(asking.options, worldOf(bundled, asking));
      const judged = judge(exploration);
      if (judged.verdict !== "reachable") return;
      if (NOT_DUMPED.has(name)) {
        expect(cautious(judged, exploration)).toMatchObject({ verdict: "undetermined", leaning: "reachable" });
        return;
      }
      expect(groundsOf(exploration).map(groundId)).toEqual([]);
      expect(cautious(judged, exploration).verdict).toBe(asking.verdict);
    });
  },
);
