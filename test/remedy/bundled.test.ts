import { applyPatch } from "@hairpin/core/assemble/index.ts";
import { diagnose } from "@hairpin/core/diagnose/index.ts";
import { NO_CURE } from "@hairpin/core/explain/lessons/index.ts";
import { say } from "@hairpin/core/messages/index.ts";
import { judge, resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { meaning } from "@hairpin/testing/same-world.ts";
import { describe, expect, test } from "vitest";
import { bundledCases } from "../cases/bundled.ts";

/** What must be among the proposed fixes of a case; the first has the smallest blast radius. */
const EXPECTED: Readonly<Record<string, { readonly first: string; readonly also?: readonly string[] }>> = {
  "empty-ipvs-service": { first: "EXTERNAL_POLICY_CLUSTER" },
  "hairpin-mode-off": { first: "HAIRPIN_ON" },
  "lb-loops-back": { first: "SERVE_ON_NODE", also: ["LB_SOURCE_NOT_KEPT"] },
  "node-to-service-strict-rp-filter": {
    first: "SERVICE_ROUTE",
    also: ["MASQUERADE_FLOW", "MASQUERADE_INTO_OVERLAY"],
  },
  "pod-to-lb-two-cards": { first: "EXEMPT_FROM_MASQUERADE", also: ["RP_FILTER_LOOSE", "POLICY_RULE_MAIN"] },
  "vm-behind-bridge-masqueraded": { first: "EXEMPT_FROM_MASQUERADE", also: ["BRIDGE_NF_OFF"] },
};

const diagnosed = bundledCases()
  .filter((c) => c.loaded.caseFile?.question !== undefined)
  .map((c) => ({ ...c, diagnosis: diagnose(c.askable, {}) }));

describe.each(diagnosed.map((c) => [c.name, c] as const))("%s", (name, { askable, diagnosis, loaded }) => {
  const { fixes, judgement } = diagnosis;
  const broken = loaded.caseFile?.expect?.verdict === "unreachable" || judgement.verdict === "intermittent";

  const curable = loaded.caseFile?.expect?.causes?.some((code) => !(code in NO_CURE)) === true;

  test.runIf(broken && curable)("has a fix that is proved", () => {
    expect(fixes.filter((f) => f.proof.verdict === "reachable").length).toBeGreaterThan(0);
    const expected = EXPECTED[name];
    if (expected === undefined) return;
    expect(fixes[0]?.code).toBe(expected.first);
    for (const code of expected.also ?? []) expect(fixes.map((f) => f.code)).toContain(code);
  });

  test.each(fixes.map((f) => [f.code, f] as const))("%s makes the flow work, walked by itself", (_code, fix) => {
    if (fix.commands.length === 0) return;
    const { world, problems } = applyPatch(askable.world, fix.commands);
    expect(problems).toEqual([]);
    const resolved = resolveQuestion(world, askable.spec({}));
    expect(resolved.ok).toBe(true);
    if (resolved.ok !== true) return;
    const walked = trace(resolved.world, resolved.question, { fixed: askable.assumed });
    expect(judge(walked).verdict).toBe(fix.proof.verdict);
  });

  test.each(fixes.map((f) => [f.code, f] as const))("%s can be taken back", (_code, fix) => {
    // What conntrack forgot it learns again from the next packet.
    if (fix.commands.some((c) => c.includes("conntrack -D"))) return;
    const after = applyPatch(askable.world, fix.commands);
    const back = applyPatch(after.world, fix.undo);
    expect(back.problems).toEqual([]);
    expect(meaning(back.world)).toEqual(meaning(askable.world));
  });

  test.each(fixes.map((f) => [f.code, f] as const))("%s says what it costs", (_code, fix) => {
    const costs = fix.costs.map((c) => say(c)).join("\n");
    expect(costs).toMatch(/the backend sees/);
    const byHand = fix.commands.some((c) => !c.startsWith("kubectl "));
    expect(/lost at reboot/.test(costs)).toBe(byHand);
    const kubeProxys = fix.commands.some((c) => /ipvsadm|ipset \S+ KUBE-|-[AID] KUBE-|kube-ipvs0/.test(c));
    expect(/kube-proxy reverts it/.test(costs)).toBe(kubeProxys);
  });
});

test("every case that has a fix to expect is there", () => {
  expect(Object.keys(EXPECTED).filter((name) => !diagnosed.some((c) => c.name === name))).toEqual([]);
});

describe("other flows", () => {
  const of = (name: string, code: string) =>
    diagnosed.find((c) => c.name === name)?.diagnosis.fixes.find((f) => f.code === code);

  test("an endpoint for all cures the other clients of the node", () => {
    const changed = of("empty-ipvs-service", "EXTERNAL_POLICY_CLUSTER")?.proof.flowsChanged ?? [];
    expect(changed).toContainEqual(
      expect.objectContaining({ from: "node/node-a", before: "unreachable", after: "reachable" }),
    );
    expect(changed.every((f) => !(f.before === "reachable" && f.after !== "reachable"))).toBe(true);
  });

  test("a load balancer that hides clients is seen by those who see them now", () => {
    const changed = of("lb-loops-back", "LB_SOURCE_NOT_KEPT")?.proof.flowsChanged ?? [];
    expect(changed).toContainEqual(expect.objectContaining({ from: "external", what: ["client address"] }));
  });

  test("the asked flow is not among them", () => {
    for (const { askable, diagnosis } of diagnosed) {
      const { to } = askable.spec({});
      const { client } = diagnosis.inquiry.question!;
      for (const fix of diagnosis.fixes)
        expect(fix.proof.flowsChanged.filter((f) => f.to === to && f.from.endsWith(`/${client}`))).toEqual([]);
    }
  });
});
