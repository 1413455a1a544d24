import { diagnose } from "@hairpin/core/diagnose/index.ts";
import { resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { branchesOf, conform, hypothesesOf, LAB_PORT, planFor } from "@hairpin/lab/conform.ts";
import { chooseBackend, type LabBackend, openLab } from "@hairpin/lab/index.ts";
import { afterAll, describe, expect, test } from "vitest";
import { bundledCases } from "../cases/bundled.ts";

/** The first fix that is proposed for each case, as the lab is asked. */
const poses = bundledCases()
  .filter((c) => c.loaded.caseFile?.question !== undefined)
  .flatMap(({ name, askable }) => {
    const fix = diagnose(askable, {}).fixes.find((f) => f.proof.verdict === "reachable");
    const world = fix?.applyTo(askable.world);
    if (fix === undefined || world === undefined) return [];
    const spec = askable.spec({});
    const resolved = resolveQuestion(world, { ...spec, sport: spec.sport ?? LAB_PORT });
    if (resolved.ok !== true) throw new Error(`${name}: not a question for the lab`);
    const { question } = resolved;
    const exploration = trace(resolved.world, question, { fixed: askable.assumed });
    const hypotheses = hypothesesOf(exploration);
    const needs = hypotheses.flatMap((h) => planFor(exploration.world, question, branchesOf(exploration, h), h).needs);
    return [{ title: `${name} with ${fix.code}`, question, exploration, hypotheses, choice: chooseBackend(needs) }];
  });

const labs = new Map<string, Promise<LabBackend | string>>();
/** The kernel, or why there is none. */
function lab(kind: "netns" | "vm"): Promise<LabBackend | string> {
  const known = labs.get(kind);
  if (known !== undefined) return known;
  const open = openLab([], { backend: kind }).catch((problem: Error) => problem.message);
  labs.set(kind, open);
  return open;
}

/** What the walk proves, the kernel proves again. */
describe("on a real kernel the flow works with the first fix that is proposed", () => {
  afterAll(async () => {
    for (const open of labs.values()) {
      const backend = await open;
      if (typeof backend !== "string") await backend.close();
    }
  });

  test.for(poses.map((p) => [p.title, p] as const))(
    "%s",
    { timeout: 180_000 },
    async ([title, { exploration, question, hypotheses, choice }], { skip }) => {
      const why = choice.backend === undefined ? choice.why : await lab(choice.backend);
      if (choice.backend === undefined || typeof why === "string") {
        console.warn(`SKIPPED: ${title}: ${String(why)}`);
        return skip(String(why));
      }
      for (const hypothesis of hypotheses) {
        const result = await conform(why, exploration, question, hypothesis);
        expect([result.observations.problems, result.differences]).toEqual([[], []]);
        expect(result.clientSees).toBe("connected");
      }
    },
  );
});
