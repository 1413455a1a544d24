import { branchesOf, conform, hypothesesOf, LAB_PORT, planFor } from "@hairpin/lab/conform.ts";
import { chooseBackend, type LabBackend, openLab } from "@hairpin/lab/index.ts";
import { afterAll, describe, expect, test } from "vitest";
import { resolveQuestion, trace } from "../../packages/core/src/trace/index.ts";
import { type Probe, questionOf, worldOfCase } from "./objects-harness.ts";
import { ownCase } from "./own-cases.ts";

type Asked = readonly [service: string, target: string, from: string];

/** One question for each thing that rules of the model decide in a way of their own. */
const ASKED: readonly Asked[] = [
  ["web", "ClusterIP", "pod"],
  ["web", "ClusterIP", "endpoint-itself"],
  ["web", "NodePort", "external"],
  ["near", "NodePort", "external"],
  ["near", "LoadBalancerIP", "pod"],
  ["far", "NodePort", "external"],
  ["far", "NodePort", "node"],
  ["inside", "ClusterIP", "pod"],
  ["empty", "ClusterIP", "node"],
  ["empty", "NodePort", "external"],
  ["guarded", "LoadBalancerIP", "pod"],
  ["guarded", "LoadBalancerIP", "node"],
  ["dns", "NodePort", "external"],
];

/** A virtual machine takes its time: those that IPVS and its sets decide. */
const ASKED_OF_IPVS: readonly Asked[] = [
  ["web", "ClusterIP", "endpoint-itself"],
  ["near", "LoadBalancerIP", "pod"],
  ["far", "NodePort", "node"],
  ["empty", "NodePort", "external"],
  ["guarded", "LoadBalancerIP", "node"],
];

function posed(mode: "iptables" | "ipvs", version: string, probe: Probe) {
  const c = ownCase(version);
  const resolved = resolveQuestion(worldOfCase(c, { mode, peers: true }), { ...questionOf(c, probe), sport: LAB_PORT });
  if (resolved.ok !== true) throw new Error(JSON.stringify(resolved));
  const { question } = resolved;
  const exploration = trace(resolved.world, question);
  const hypotheses = hypothesesOf(exploration);
  const needs = hypotheses.flatMap((h) => planFor(exploration.world, question, branchesOf(exploration, h), h).needs);
  return { question, exploration, hypotheses, choice: chooseBackend(needs) };
}

const poses = (["iptables", "ipvs"] as const).flatMap((mode) =>
  (mode === "ipvs" ? ASKED_OF_IPVS : ASKED).map(([service, target, from]) => {
    const version = "v1.31.4";
    const probe = ownCase(version).probes.find(
      (p) => p.service === `shop/${service}` && p.target === target && p.from === from,
    )!;
    return { title: `${mode}: ${from} asks ${service} by its ${target}`, pose: posed(mode, version, probe) };
  }),
);

const labs = new Map<string, Promise<LabBackend | string>>();
function lab(kind: "netns" | "vm"): Promise<LabBackend | string> {
  const known = labs.get(kind);
  if (known !== undefined) return known;
  const open = openLab([], { backend: kind, onProgress: (text) => console.warn(`${kind}: ${text}`) }).catch(
    (problem: Error) => {
      console.warn(`SKIPPED: rules of the model on ${kind}: ${problem.message}`);
      return problem.message;
    },
  );
  labs.set(kind, open);
  return open;
}

/** Rules, sets and virtual servers made from objects, loaded with the real tools: the walk must have said what the kernel does. */
describe("the kernel agrees on what the model of kube-proxy writes", () => {
  afterAll(async () => {
    for (const open of labs.values()) {
      const backend = await open;
      if (typeof backend !== "string") await backend.close();
    }
  });

  test.for(poses.map((p) => [p.title, p] as const))("%s", { timeout: 180_000 }, async ([, { pose }], { skip }) => {
    if (pose.choice.backend === undefined) return skip(pose.choice.why);
    const backend = await lab(pose.choice.backend);
    if (typeof backend === "string") return skip(backend);
    for (const hypothesis of pose.hypotheses) {
      const result = await conform(backend, pose.exploration, pose.question, hypothesis);
      expect(result.observations.problems).toEqual([]);
      expect(result.differences).toEqual([]);
    }
  });
});
