import type { Answer } from "../answer.ts";
import type { FlowQuestion } from "../flow.ts";
import { matchesGlob } from "../glob.ts";
import type { Expectation } from "./expectation.ts";
import type { FlowTraits } from "./traits.ts";

/** What of one expectation does not hold, and the flow that shows it. */
export interface Broken {
  readonly asked: FlowQuestion;
  /** Flows that it is so for. */
  readonly flows: number;
  readonly answer: Omit<Answer, "fix">;
  readonly seen: FlowTraits;
  /** Nobody can say whether it holds. */
  readonly open: boolean;
  readonly why: "verdict" | "seesClientAddress" | "viaNode";
}

export interface Held {
  readonly expectation: Expectation;
  readonly result: "holds" | "broken" | "open" | "matches-nothing" | "not-asked";
  readonly flows: number;
  readonly broken: readonly Broken[];
}

/** Flows that were found to fare alike, and one of them. */
export type Found = Pick<Broken, "asked" | "flows" | "answer" | "seen">;

/** What becomes of a line whose flows fare so. `isAll`: what was stopped before its end holds of no line. */
export function heldBy(expectation: Expectation, found: readonly Found[], isAll = true): Held {
  const flows = found.reduce((n, f) => n + f.flows, 0);
  const broken = found.flatMap((f) => faultsOf(f, expectation));
  if (broken.some((b) => !b.open)) return { expectation, result: "broken", flows, broken };
  if (!isAll) return { expectation, result: "not-asked", flows, broken: [] };
  return { expectation, result: broken.length > 0 ? "open" : "holds", flows, broken };
}

/** What of an answer is not as it is expected. */
export function faultsOf(found: Found, { expect, seesClientAddress, viaNode }: Expectation): readonly Broken[] {
  const { answer, seen } = found;
  const { verdict, clientSees } = answer;
  const fault = (why: Broken["why"], open: boolean): Broken => ({ ...found, why, open });
  const fails = verdict === "unreachable";
  const holds =
    expect === "works"
      ? verdict === "reachable"
      : fails && (expect === "fails" || clientSees === (expect === "refused" ? "refused" : "timeout"));
  if (!holds) return [fault("verdict", verdict === "undetermined")];
  const faults: Broken[] = [];
  if (seesClientAddress !== undefined && seen.clientAddress !== seesClientAddress)
    faults.push(fault("seesClientAddress", seen.clientAddress === null));
  if (viaNode !== undefined && !seen.nodes.some((n) => matchesGlob(viaNode, n))) faults.push(fault("viaNode", false));
  return faults;
}
