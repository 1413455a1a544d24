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
const labs = new Map<string, Promise<LabBackend | string>>();
/** The kernel, or why there is none: a VM's image is made from packages, for which a registry must be reachable once. */
function lab(kind: "netns" | "vm"): Promise<LabBackend | string> {
  const known = labs.get(kind);
  if (known !== undefined) return known;
  const open = openLab([], { backend: kind, onProgress: (text) => console.warn(`${kind}: ${text}`) }).catch(
    (problem: Error) => {
      console.warn(`SKIPPED: cases on ${kind}: ${problem.message}`);
      return problem.message;
    },
  );
  labs.set(kind, open);
  return open;
}
for (const { title, choice } of poses)
  if (choice.backend === undefined) console.warn(`SKIPPED: ${title}: ${choice.why}`);

/** What chance decides is asked a few times; every time some branch of the walk must explain what came. */
const TRIES = 3;

/** The lab puts every case to a real kernel, broken and mended: the walk must have said what the kernel did. */
describe("the kernel agrees", () => {
  afterAll(async () => {
    for (const open of labs.values()) {
      const backend = await open;
      if (typeof backend !== "string") await backend.close();
    }
  });

  test.for(poses.map((p) => [p.title, p] as const))(
    "%s",
    { timeout: 180_000 },
    async ([, { pose, choice }], { skip }) => {
      if (choice.backend === undefined) return skip(choice.why);
      const backend = await lab(choice.backend);
      if (typeof backend === "string") return skip(backend);
      const tries = pose.exploration.branches.some((b) => b.share < 1) ? TRIES : 1;
      for (const hypothesis of pose.hypotheses) {
        for (let n = 0; n < tries; n++) {
          const result = await conform(backend, pose.exploration, pose.question, hypothesis);
          expect(result.observations.problems).toEqual([]);
          expect(result.differences).toEqual([]);
        }
      }
    },
  );
});
