import { resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { branchesOf, conform, hypothesesOf, LAB_PORT, planFor } from "@hairpin/lab/conform.ts";
import { chooseBackend, type LabBackend, openLab } from "@hairpin/lab/index.ts";
import { afterAll, describe, expect, test } from "vitest";
import { type Asking, askings, type Bundled, bundledCases, worldOf } from "./bundled.ts";

function posed(bundled: Bundled, asking: Asking) {
  const { askable } = bundled;
  const spec = askable.spec(asking.options);
  const resolved = resolveQuestion(worldOf(bundled, asking), { ...spec, sport: spec.sport ?? LAB_PORT });
  if (resolved.ok !== true) throw new Error(`${bundled.name}: not a question for the lab`);
  const { question } = resolved;
  const exploration = trace(resolved.world, question, { fixed: askable.assumed });
  const hypotheses = hypothesesOf(exploration);
  const needs = hypotheses.flatMap((h) => planFor(exploration.world, question, branchesOf(exploration, h), h).needs);
  return { question, exploration, hypotheses, needs };
}

const poses = bundledCases().flatMap((bundled) =>
  askings(bundled).map((asking) => {
    const pose = posed(bundled, asking);
    return { title: `${bundled.name}: ${asking.name}`, pose, choice: chooseBackend(pose.needs) };
  }),
);
const labs = new Map<string, Promise<LabBackend>>();
const lab = (kind: "netns" | "vm"): Promise<LabBackend> => {
  const open = labs.get(kind) ?? openLab([], { backend: kind, onProgress: (text) => console.warn(`${kind}: ${text}`) });
  labs.set(kind, open);
  return open;
};
for (const { title, choice } of poses)
  if (choice.backend === undefined) console.warn(`SKIPPED: ${title}: ${choice.why}`);

/** The lab puts every case to a real kernel, broken and mended: the walk must have said what the kernel did. */
describe("the kernel agrees", () => {
  afterAll(async () => {
    for (const open of labs.values()) await (await open).close();
  });

  test.each(poses.map((p) => [p.title, p] as const))(
    "%s",
    async (_title, { pose, choice }) => {
      const { backend } = choice;
      if (backend === undefined) return;
      for (const hypothesis of pose.hypotheses) {
        const result = await conform(await lab(backend), pose.exploration, pose.question, hypothesis);
        expect(result.observations.problems).toEqual([]);
        expect(result.differences).toEqual([]);
      }
    },
    180_000,
  );
});
