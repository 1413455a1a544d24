import { type ObjectsCluster, objectsCluster } from "@hairpin/testing/objects-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable, diagnose } from "../../diagnose/index.ts";
import { readCase } from "../../parse/index.ts";
import { askedPart } from "./asked-part.ts";

const NODES = 66;
/** Said of each other node in the whole cluster. */
const EVERYWHERE = "KUBE_IPVS0_ADDR_CONFLICT";
const SERVICES: ObjectsCluster["services"] = [
  { nodePort: true, endpoints: [{ node: 3, pod: 0, ready: true }] },
  { nodePort: true, local: true, balanced: "named", endpoints: [{ node: 5, pod: 1, ready: true }] },
  { nodePort: true, balanced: "address", endpoints: [] },
  { nodePort: true, balanced: "named", endpoints: [{ node: 8, pod: 0, ready: true }] },
  // The address of node-4.
  { nodePort: false, balanced: "of-node", endpoints: [{ node: 9, pod: 0, ready: true }] },
];

function askableOf(more: Partial<ObjectsCluster>): Askable {
  const text = objectsCluster({ mode: "iptables", nodes: NODES, zones: 2, pods: 2, services: SERVICES, ...more });
  const inputs = [{ path: "objects.json", text }];
  return new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
}

describe("a question of a large cluster of which there are objects alone", () => {
  it.each<Partial<ObjectsCluster>>([
    {},
    { mode: "ipvs" },
    { mode: "nftables", dual: true },
    { machines: "aws", cilium: "beside" },
  ])(
    "is answered of a part as of the whole: %j",
    (more) => {
      const askable = askableOf(more);
      for (const asked of [
        { from: "pod/shop/pod-1-0", to: "svc/shop/svc-0:80" },
        { from: "pod/shop/pod-3-0", to: "svc/shop/svc-0:80" },
        { from: "node/node-7", to: "10.0.0.15:30001" },
        { from: "pod/shop/pod-9-1", to: "10.0.0.30:30001" },
        { from: "external", to: "10.0.0.15:30001", node: "node-5" },
        { from: "node/node-2", to: "svc/shop/svc-2" },
        { from: "pod/shop/pod-2-0", to: "10.0.0.14:30000" },
        { from: "pod/shop/pod-2-0", to: "10.0.0.14:80" },
        { from: "pod/shop/pod-4-0", to: "10.128.9.10:8080" },
        { from: "node/node-4", to: "10.0.0.11:10250" },
      ]) {
        const part = askedPart(askable, asked);
        expect(part.world.stacks.filter((s) => s.kind === "node").length, JSON.stringify(asked)).toBeLessThan(8);
        const [own, whole] = [part, askable].map((a) => diagnose(a, asked));
        const told = ({ judgement, causes, fixes }: typeof own & object): unknown => ({
          ...judgement,
          decisiveFacts: judgement.decisiveFacts.map((f) => (f.fact.endsWith(EVERYWHERE) ? EVERYWHERE : f.fact)).sort(),
          causes: causes.filter((c) => c.code !== EVERYWHERE).map((c) => [c.code, c.certainty, c.stack, c.summary]),
          everywhere: causes.some((c) => c.code === EVERYWHERE),
          fixes: fixes.map((f) => [f.code, f.proof.verdict]),
        });
        expect([asked, told(own!)]).toEqual([asked, told(whole!)]);
        // Who was left out was not asked.
        expect(own!.fixes.every((f) => f.proof.flowsBounded)).toBe(true);
      }
    },
    120_000,
  );

  it("goes by one node of each kind that a load balancer sends to", () => {
    const askable = askableOf({ machines: "aws" });
    const asked = { from: "node/node-5", to: "198.19.255.3:80" };
    const { judgement, causes } = diagnose(askedPart(askable, asked), asked);
    expect([judgement.verdict, causes.map((c) => c.code)]).toEqual([
      "intermittent",
      ["LB_LOOPBACK", "MARTIAN_LOCAL_SOURCE"],
    ]);
  });

  it("is asked of the case as it is where somebody takes part of whom no object tells", () => {
    const askable = askableOf({});
    expect(askedPart(askable, { from: "pod/shop/pod-1-0", to: "8.8.8.8:53" })).toBe(askable);
    expect(askedPart(askable, { from: "nobody", to: "svc/shop/svc-0" })).toBe(askable);
  });
});
