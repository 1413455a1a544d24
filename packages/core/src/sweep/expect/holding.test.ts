import { objectsCluster } from "@hairpin/testing/objects-cluster.ts";
import { type Fault, FOUND_AS, sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../../diagnose/index.ts";
import { protocolName } from "../../net/index.ts";
import { type CaseInput, readCase } from "../../parse/index.ts";
import { inspect } from "../answer.ts";
import { matchesGlob } from "../glob.ts";
import { askedOf, type Flow, isSource, isTarget, planOf } from "../plan.ts";
import { knownOf } from "./answers.ts";
import type { Expectation } from "./expectation.ts";
import { heldBy } from "./held.ts";
import { hold, holdAll } from "./holding.ts";

const askableOf = (inputs: readonly CaseInput[]): Askable =>
  new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);

const dumps = (faults: readonly { readonly kind: Fault; readonly at: number }[]): Askable =>
  askableOf(
    Object.entries(sweptCluster({ nodes: 4, pods: 2, services: 3, nodePorts: 2, faults })).map(([path, text]) => ({
      path,
      text,
    })),
  );

const objects = (): Askable => {
  const endpoint = (node: number, pod: number, ready = true) => ({ node, pod, ready });
  const services = [
    { nodePort: true, local: true, endpoints: [endpoint(0, 0), endpoint(1, 1)] },
    { nodePort: true, endpoints: [] },
    { nodePort: false, external: true, endpoints: [endpoint(2, 0)] },
  ];
  return askableOf([
    { path: "objects.json", text: objectsCluster({ mode: "iptables", nodes: 4, zones: 1, pods: 2, services }) },
  ]);
};

const line = (from: string, to: string, more: Partial<Expectation> = {}): Omit<Expectation, "line"> => ({
  from,
  to,
  expect: "works",
  ...more,
});

/** Of whole kinds, of names, and of what is told of each flow by itself. */
const LINES: readonly Expectation[] = [
  line("pod", "svc/shop/*"),
  line("node", "svc/shop/*", { via: "nodeport" }),
  line("external", "svc/shop/svc-1:80", { expect: "timesOut" }),
  line("external", "svc/shop/*", { via: "nodeport", expect: "refused" }),
  line("endpoint", "clusterip"),
  line("pod", "service", { proto: "tcp", family: 4 }),
  line("node", "kubelet"),
  line("pod", "pod", { expect: "fails" }),
  line("pod/shop/pod-1-*", "svc/shop/*"),
  line("pod/shop/pod-1-*", "svc/shop/svc-1:80", { expect: "refused" }),
  line("pod/shop/pod-0-0", "svc/shop/*", { seesClientAddress: true }),
  line("node/node-2", "pod/shop/*:8080"),
  line("external/node-1", "svc/shop/*", { via: "nodeport" }),
  line("node", "svc/shop/*", { node: "node-[01]" }),
  line("node", "svc/shop/*", { node: "node-?", viaNode: "node-1" }),
  line("external", "svc/shop/svc-0", { via: "nodeport", seesClientAddress: false }),
  line("pod/none/*", "svc/shop/*"),
].map((l, i) => ({ ...l, line: i + 1 }));

/** As the words mean it, flow by flow. */
function isMeant({ source, target }: Flow, e: Expectation): boolean {
  const inside = ["pod", "endpoint", "node"].includes(source.kind);
  const way = e.via ?? (e.to.startsWith("svc/") && inside ? "clusterip" : undefined);
  return (
    (e.proto === undefined || e.proto === protocolName(target.protocol)) &&
    (e.family === undefined || e.family === target.family) &&
    (way === undefined || way === target.via) &&
    (e.node === undefined || (source.node !== null && matchesGlob(e.node, source.node))) &&
    isSource(e.from, source) &&
    isTarget(e.to, target)
  );
}

/** What is said of a line, however its flows were put together. */
const toldOf = ({ expectation, result, flows, broken }: ReturnType<typeof heldBy>) => {
  const counts: Record<string, number> = {};
  for (const { why, open, answer, flows: of } of broken) {
    const key = `${why} ${open} ${answer.verdict} ${answer.clientSees} ${answer.causes.map((c) => c.code)}`;
    counts[key] = (counts[key] ?? 0) + of;
  }
  return { line: expectation.line, result, flows, counts };
};

const CLUSTERS: readonly (readonly [string, () => Askable])[] = [
  ["of dumps", () => dumps([])],
  ...(["ip-forward-off", "hairpin-off", "no-endpoints", "local-policy", "kubelet-rejected"] as const).map(
    (kind) => [`of dumps with ${FOUND_AS[kind].codes}`, () => dumps([{ kind, at: 1 }])] as const,
  ),
  ["of objects alone", objects],
];

describe("expectations", () => {
  it.each(CLUSTERS)(
    "hold as if every flow were asked by itself, in a cluster %s",
    (_, clusterOf) => {
      const askable = clusterOf();
      const plan = planOf(askable.world);
      const flows = plan.groups.flatMap((g) => [...plan.flowsOf(g)]);
      const answers = new Map(flows.map((f) => [f, knownOf(inspect(askable, askedOf(f)))]));
      const held = holdAll(askable, LINES);
      expect(held.map((h) => h.expectation)).toEqual(LINES);
      for (const h of held) {
        const meant = flows.filter((f) => isMeant(f, h.expectation));
        if (meant.length === 0) {
          expect([h.expectation.line, h.result]).toEqual([h.expectation.line, "matches-nothing"]);
          continue;
        }
        const found = meant.map((f) => ({ asked: askedOf(f), flows: 1, ...answers.get(f)! }));
        expect(toldOf(h)).toEqual(toldOf(heldBy(h.expectation, found)));
        for (const { asked, answer } of h.broken)
          expect(found.find((f) => JSON.stringify(f.asked) === JSON.stringify(asked))?.answer.causes).toEqual(
            answer.causes,
          );
      }
    },
    120_000,
  );

  it("tell wherever they are stopped what does not hold, and which were not asked", () => {
    const askable = dumps([{ kind: "no-endpoints", at: 1 }]);
    const whole = holdAll(askable, LINES);
    const holding = hold(askable, LINES);
    let steps = 0;
    let before = 0;
    for (let step = holding.next(); step.done !== true; step = holding.next()) {
      const { answered, flows, known } = step.value;
      expect([answered >= before, answered <= flows]).toEqual([true, true]);
      before = answered;
      if (steps++ % 40 !== 0) continue;
      for (const [i, h] of known().entries()) if (h.result !== "not-asked") expect(h.result).toBe(whole[i]!.result);
    }
    expect(steps).toBeGreaterThan(80);
  }, 120_000);
});
