import { type SweptCluster, sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { readCase } from "../parse/index.ts";
import { compareSweeps } from "./changes.ts";
import { causesIn, healsMost } from "./summary.ts";
import { sweep } from "./sweep.ts";
import { fails } from "./swept.ts";

function ended<R>(walking: Generator<unknown, R>): R {
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

const cluster = (given: Partial<SweptCluster>): Askable => {
  const files = sweptCluster({ nodes: 6, pods: 1, services: 2, nodePorts: 2, faults: [], ...given });
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
};

/** Flows that fail, and get through with these commands. */
function healedBy(askable: Askable, commands: readonly string[]): number {
  const world = commands.reduce((w, command) => askable.patched(command, w).world, askable.world);
  const { changed } = ended(compareSweeps({ askable }, { askable, world }, {}));
  const healed = changed.filter(({ before, after }) => fails(before) && after.verdict === "reachable");
  return healed.reduce((n, c) => n + c.flows, 0);
}

describe("the fix of a cause", () => {
  it.each([
    ["a policy of FORWARD", [{ kind: "forward-policy-drop", at: 1 }], "FORWARD_POLICY_ACCEPT"],
    ["a rule", [{ kind: "kubelet-rejected", at: 1 }], "DELETE_RULE"],
    ["a traffic policy", [{ kind: "local-policy", at: 1 }], "EXTERNAL_POLICY_CLUSTER"],
    ["a route", [{ kind: "pod-route-missing", at: 1 }], "ROUTE_ADD"],
    [
      "two in a row",
      [
        { kind: "local-policy", at: 1 },
        { kind: "ip-forward-off", at: 5 },
      ],
      "IP_FORWARD_ON",
    ],
  ] as const)(
    "%s: heals at least as many flows as it says, and the one that heals most is for all",
    (_, faults, code) => {
      const askable = cluster({ faults });
      const { classes } = ended(sweep(askable));
      const causes = causesIn(classes);
      for (const { fix } of causes)
        if (fix !== null) expect(healedBy(askable, fix.commands)).toBeGreaterThanOrEqual(fix.heals);
      const best = healsMost(classes.filter(fails))!;
      expect(best.code).toBe(code);
      expect(best.heals).toBe(best.alike);
    },
    120_000,
  );

  it("is counted for one node where each needs its own", () => {
    const faults = Array.from({ length: 6 }, (_, at) => ({ kind: "ip-forward-off", at }) as const);
    const askable = cluster({ faults });
    const failing = ended(sweep(askable)).classes.filter(fails);
    const best = healsMost(failing)!;
    expect(healedBy(askable, best.commands)).toBeGreaterThanOrEqual(best.heals);
    // Commands for one of six nodes: all others stay as they are.
    expect(best.heals).toBeLessThan(failing.reduce((n, c) => n + c.flows, 0) / 2);
    expect(best.heals).toBeLessThanOrEqual(best.alike);
  }, 120_000);
});
