import { readdirSync } from "node:fs";
import { join } from "node:path";
import { referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { type Askable, BadRequest, diagnose, type LoadedCase } from "../../packages/core/src/diagnose/index.ts";

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly proto: string;
}

/** A flow through the World of a bundle, and what the kernel did to it. */
export interface Flow {
  readonly id: string;
  /** The question by name; by address, for bundles that do not name the pod. */
  readonly ask: Asked;
  readonly orAsk: readonly Asked[];
  readonly verdict: "works" | "fails" | "intermittent";
  /** False where a fact that the bundle lacks decides. */
  readonly decidable: boolean;
}

export interface Meta {
  readonly kind: string;
  readonly bundleOf: readonly string[];
}

/**
 * right: as the kernel did, or open where the bundle cannot say; unsure: open although the bundle decides it; wrong: not what the
 * kernel did; bold: as the kernel did, where the bundle cannot say; mute: open without a word on what to run; none: no answer.
 */
export type Grade = "right" | "unsure" | "wrong" | "bold" | "mute" | "none";

const VERDICTS = { works: "reachable", fails: "unreachable", intermittent: "intermittent" } as const;

export const flowsOf = (kind: string): readonly Flow[] => referenceJson("bundles", kind, "flows.json");
export const metaOf = (kind: string): Meta => referenceJson("bundles", kind, "meta.json");

export function bundleOf(kind: string): LoadedCase {
  const folder = referencePath("bundles", kind, "bundle");
  return loadCase(
    readdirSync(folder)
      .sort()
      .map((name) => join(folder, name)),
  );
}

/** Asks by name, and by address where the bundle does not know the name. */
function answer(askable: Askable, flow: Flow): ReturnType<typeof diagnose> | undefined {
  for (const asked of [flow.ask, ...flow.orAsk]) {
    try {
      return diagnose(askable, asked);
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
    }
  }
  return undefined;
}

export interface Graded {
  readonly id: string;
  readonly grade: Grade;
  readonly told: string;
}

export function gradeFlow(askable: Askable, flow: Flow): Graded {
  const diagnosis = answer(askable, flow);
  if (diagnosis === undefined) return { id: flow.id, grade: "none", told: "" };
  const { judgement, restsOn, causes } = diagnosis;
  const { verdict, leaning, decisiveFacts } = judgement;
  const told = leaning === undefined ? verdict : `${verdict}, leaning to ${leaning}`;
  const graded = (grade: Grade): Graded => ({ id: flow.id, grade, told });
  const wanted = VERDICTS[flow.verdict];
  if (verdict !== "undetermined") {
    if (verdict !== wanted) return graded("wrong");
    return graded(flow.decidable ? "right" : "bold");
  }
  const saysWhatToRun =
    restsOn.some((r) => r.command !== "") ||
    decisiveFacts.length > 0 ||
    causes.some((c) => c.check !== undefined) ||
    diagnosis.contradictions.length > 0;
  if (!saysWhatToRun) return graded("mute");
  return graded(!flow.decidable || leaning === wanted ? "right" : "unsure");
}
