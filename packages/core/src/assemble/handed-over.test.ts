import { worldOf } from "@hairpin/testing/world.ts";
import { expect, test } from "vitest";
import { formatAddress } from "../net/index.ts";

const NODES = ["a", "b"]
  .map(
    (name, i) =>
      `- { apiVersion: v1, kind: Node, metadata: { name: ${name} }, spec: { podCIDR: 10.244.${i}.0/24 }, status: { addresses: [{ type: InternalIP, address: 10.0.0.${i + 1} }] } }`,
  )
  .join("\n");
const pod = (name: string, node: string, phase: string) =>
  `- { apiVersion: v1, kind: Pod, metadata: { name: ${name}, namespace: shop }, spec: { nodeName: ${node}, containers: [] }, status: { podIP: 10.244.1.5, phase: ${phase} } }`;
const worldWith = (...pods: readonly string[]) =>
  worldOf({ "objects.yaml": `apiVersion: v1\nkind: List\nitems:\n${NODES}\n${pods.join("\n")}\n` });

test("the address of a pod whose life is over is that of the pod that has it now", () => {
  const world = worldWith(pod("before", "a", "Succeeded"), pod("now", "b", "Running"));
  const had = world.kubernetes.pods.map((p) => `${p.name} ${p.addresses.map(formatAddress).join()}`);
  expect(had).toEqual(["before ", "now 10.244.1.5"]);
});

test("nobody's heir: it keeps the address that it had", () => {
  const world = worldWith(pod("before", "a", "Failed"));
  expect(world.kubernetes.pods.map((p) => p.addresses.map(formatAddress))).toEqual([["10.244.1.5"]]);
});
