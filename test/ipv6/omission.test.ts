import { existsSync, readdirSync } from "node:fs";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { loadedCase } from "../../packages/case/src/index.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, verdictOf } from "../../packages/core/src/diagnose/index.ts";
import type { Flow } from "./truth.ts";

/** Every how manieth World is asked: each is asked once for every kind of file that it has. */
const EVERY = 6;

/** What nobody showed is no reason to call a flow reachable that a real kernel lost. */
describe.skipIf(!haveReference)("an IPv6 World without one kind of its files", () => {
  const folder = referencePath("ipv6-truth", "worlds");
  const worlds = existsSync(folder) ? readdirSync(folder).sort() : [];
  test.each(worlds.filter((_, i) => i % EVERY === 0))("%s: nothing lost turns green", { timeout: 300_000 }, (world) => {
    const { inputs } = loadCase([referencePath("ipv6-truth", "worlds", world, "dumps")]);
    const stated = inputs.find((i) => i.path === "case.yaml");
    const kinds = new Set(inputs.filter((i) => i !== stated).map((i) => i.path.replace(/^.*\//, "")));
    const lost = referenceJson<readonly Flow[]>("ipv6-truth", "worlds", world, "flows.json").filter(
      (f) => f.verdict === "fails",
    );
    const green = [...kinds].flatMap((kind) => {
      const left = inputs.filter((i) => i.path.replace(/^.*\//, "") !== kind);
      const askable = new Askable(loadedCase({ inputs: left, stated, notes: [] }), []);
      return lost.flatMap(({ id, from, to, proto }) => {
        const { verdict } = verdictOf(askable, { from: `stack/${from.stack}`, to, proto });
        return verdict.verdict === "reachable" ? [`${id} without ${kind}`] : [];
      });
    });
    expect(green).toEqual([]);
  });
});
