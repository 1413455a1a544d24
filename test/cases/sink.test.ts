import { type Leg, type Recorded, resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { describe, expect, test } from "vitest";
import { bigNode } from "../../bench/big-node.ts";
import { askings, bundledCases, worldOf } from "./bundled.ts";

type Exploration = ReturnType<typeof trace>;

/** All that a walk answers, but how it got there. */
const answerOf = ({ branches, facts, overflow, runs }: Exploration): unknown => ({
  branches: JSON.parse(
    JSON.stringify(branches, (key, value) => (key === "steps" || key === "met" ? undefined : value)),
  ),
  hypotheses: branches.map((b) => [...b.hypothesis]),
  facts,
  overflow,
  runs,
});

/** Every line that the steps of a leg name, and every route they found, as the sink of lines has them. */
const metIn = (leg: Leg): unknown => {
  const origins = leg.steps.flatMap((s) => ("origins" in s ? s.origins : "origin" in s && s.origin ? [s.origin] : []));
  const routes = leg.steps.flatMap((s) => (s.kind === "route" ? [[s.stack, s.result, s.device, s.gateway]] : []));
  return { source: leg.steps[0]?.packet.src, origins, routes };
};

const kept = ({ met }: Leg): unknown => ({
  source: met?.source,
  origins: met?.origins,
  routes: met?.routes.map(({ stack, found }) => [
    stack,
    found.type === "multicast" ? "broadcast" : found.type,
    found.type === "error" ? undefined : found.device.name,
    found.type === "error" ? undefined : found.gateway,
  ]),
});

const legsIn = ({ branches }: Exploration): readonly Leg[] =>
  branches.flatMap((b) => [b.request, b.reply, ...b.data, ...b.aftermath].filter((leg) => leg !== null));

const stepsOf = ({ branches }: Exploration): readonly unknown[] =>
  branches.flatMap((b) => [b.request, b.reply, ...b.data, ...b.aftermath].flatMap((leg) => leg?.steps ?? []));

describe.each(bundledCases().map((c) => [c.name, c] as const))("%s", (_name, bundled) => {
  test.each(askings(bundled).map((a) => [a.name, a] as const))(
    "%s: recorded or not, the answer is one",
    (_, asking) => {
      const { askable } = bundled;
      const resolved = resolveQuestion(worldOf(bundled, asking), askable.spec(asking.options));
      if (resolved.ok !== true) return;
      const walk = (options: { readonly record?: Recorded; readonly verbose?: boolean }): Exploration =>
        trace(resolved.world, resolved.question, { fixed: askable.assumed, ...options });
      const recorded = walk({});
      const unrecorded = walk({ record: false });
      expect(stepsOf(recorded).length).toBeGreaterThan(0);
      expect(stepsOf(unrecorded)).toEqual([]);
      expect(answerOf(unrecorded)).toEqual(answerOf(recorded));
      const lines = walk({ record: "lines" });
      expect(stepsOf(lines)).toEqual([]);
      expect(answerOf(lines)).toEqual(answerOf(recorded));
      expect(legsIn(lines).map(kept)).toEqual(legsIn(recorded).map(metIn));
      // Who wants to see the rules that do not match walks every chain rule by rule.
      expect(answerOf(walk({ verbose: true }))).toEqual(answerOf(recorded));
    },
  );
});

test("a chain of many Services is looked up by address and says what a walk of all its rules says", () => {
  const { world, to } = bigNode(50);
  const resolved = resolveQuestion(world, { from: "node/node", to });
  if (resolved.ok !== true) throw new Error("not asked");
  const by = (verbose: boolean): Exploration => trace(resolved.world, resolved.question, { verbose });
  expect(stepsOf(by(true)).length).toBeGreaterThan(stepsOf(by(false)).length + 49);
  expect(answerOf(by(false))).toEqual(answerOf(by(true)));
  expect(by(false).branches.map((b) => b.clientSees)).toEqual(["connected", "connected", "connected"]);
});
