import { type ObjectsCluster, objectsCluster } from "@hairpin/testing/objects-cluster.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../../diagnose/index.ts";
import { formatAddress } from "../../net/index.ts";
import { readCase } from "../../parse/index.ts";
import { type Answer, answerOf, inspect } from "../answer.ts";
import { answerJson } from "../json.ts";
import { askedOf, type Flow, planOf, type Wanted } from "../plan.ts";
import { type SweepOptions, sweep } from "../sweep.ts";
import type { Sweep } from "../swept.ts";
import { isCountable } from "./countable.ts";

const askableOf = (given: ObjectsCluster): Askable => {
  const inputs = [{ path: "objects.json", text: objectsCluster(given) }];
  return new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
};

function swept(askable: Askable, options: SweepOptions = {}): Sweep {
  const walking = sweep(askable, options);
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

const endpoint = fc.record({
  node: fc.integer({ min: 0, max: 3 }),
  pod: fc.constantFrom(0, 0, 1, -1, -2),
  ready: fc.constantFrom(true, true, true, false),
});

/** Mostly what most clusters have. */
const seldom = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 3 * others.length, arbitrary: fc.constant(usual) }, ...others.map((o) => fc.constant(o)));

const ANNOTATIONS = { "service.beta.kubernetes.io/aws-load-balancer-type": "nlb" };

const clusters = fc
  .record({
    mode: fc.constantFrom("iptables" as const, "ipvs" as const, "nftables" as const),
    nodes: fc.integer({ min: 2, max: 4 }),
    zones: fc.integer({ min: 1, max: 2 }),
    pods: fc.integer({ min: 1, max: 2 }),
    detectLocalMode: fc.constantFrom("ClusterCIDR" as const, "NodeCIDR" as const),
    unconfigured: seldom(false, true),
    machines: fc.constantFrom(undefined, "gce" as const, "aws" as const, "metallb" as const),
    dual: seldom(false, true),
    cilium: seldom(undefined, "beside" as const, "instead" as const),
    policies: seldom(false, true),
    misplaced: seldom(false, true),
    odd: seldom(
      undefined,
      "not-ready" as const,
      "excluded" as const,
      "addressless" as const,
      "no-pod-network" as const,
    ),
    close: seldom(false, true),
    services: fc.array(
      fc.record({
        nodePort: fc.boolean(),
        external: fc.boolean(),
        local: fc.boolean(),
        internalLocal: seldom(false, true),
        affinity: seldom(false, true),
        unlisted: seldom(false, true),
        balanced: fc.constantFrom(
          undefined,
          undefined,
          "address" as const,
          "proxied" as const,
          "named" as const,
          "of-node" as const,
        ),
        sourceRanges: seldom(false, true),
        annotations: seldom(undefined, ANNOTATIONS),
        hinted: seldom(false, true),
        endpoints: fc.array(endpoint, { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(
    ({ services, ...c }): ObjectsCluster => ({
      ...c,
      services: services.map((s, i) => ({
        ...s,
        external: s.nodePort && s.external,
        local: (s.nodePort || s.balanced !== undefined) && s.local,
        ...(i > 0 &&
          s.external &&
          s.nodePort &&
          services[i - 1]!.external &&
          services[i - 1]!.nodePort && { together: true }),
      })),
    }),
  );

/** Where kube-proxy goes by the networks of nodes, a pod in another's is asked flow by flow. */
const isUsual = ({ misplaced, detectLocalMode, unconfigured }: ObjectsCluster): boolean =>
  misplaced !== true || unconfigured === true || detectLocalMode !== "NodeCIDR";

/** What a person is told of a flow, but for the names of its places. What happens on each node that a load balancer sends to is said of one for all. */
const told = ({ verdict, clientSees, leaning, causes }: Answer): unknown => {
  return [verdict, clientSees, leaning, [...new Set(causes.map((c) => `${c.code} ${c.certainty}`))]];
};

/** Said of each other node in the whole cluster, and of one for all. */
const EVERYWHERE = "KUBE_IPVS0_ADDR_CONFLICT";

/** All of it. What is open has no order: it is that of the endpoints. */
const said = (answer: Answer): unknown => {
  const { verdict, clientSees, leaning, causes, facts, fix } = answerJson(answer);
  const open = facts.map(({ fact, command }) => `${fact}: ${command}`);
  const told = causes.filter((c) => c.code !== EVERYWHERE || causes.find((o) => o.code === EVERYWHERE) === c);
  const named = told.map((c) => (c.code === EVERYWHERE ? c.code : c));
  return { verdict, clientSees, leaning, causes: named, facts: open.sort(), fix };
};

const nameOf = (flow: Flow): string => JSON.stringify([flow.source.kind, askedOf(flow), flow.target.via]);

describe("a sweep of objects alone", () => {
  it("counts every flow once, and says of each what diagnose says of it in the whole cluster", () => {
    let [flows, walks] = [0, 0];
    fc.assert(
      fc.property(clusters, (given) => {
        const askable = askableOf(given);
        if (isUsual(given)) expect(isCountable(askable.objectsAlone()!), JSON.stringify(given)).toBe(true);
        const members: { flow: Flow; id: string }[] = [];
        const found = swept(askable, { member: (flow, id) => members.push({ flow, id }) });
        const plan = planOf(askable.world);
        const all = plan.groups.flatMap((g) => [...plan.flowsOf(g)]);
        expect(found.flows).toBe(all.length);
        expect(found.answered).toBe(all.length);
        expect(members.map((m) => nameOf(m.flow)).sort()).toEqual(all.map(nameOf).sort());
        const balanced = new Set(askable.world.loadBalancers.map((b) => formatAddress(b.address)));
        const classes = new Map(found.classes.map((c) => [c.id, c]));
        for (const c of classes.values()) {
          const own = members.filter((m) => m.id === c.id).map((m) => m.flow);
          expect([c.id, c.flows, c.from.nodes, c.to.addresses]).toEqual([
            c.id,
            own.length,
            new Set(own.map((f) => f.source.node)).size,
            new Set(own.map((f) => f.target.address)).size,
          ]);
        }
        // Its example in all that is said of it, but for which nodes of a load balancer are named. A node without an address sends from some Service's.
        const isSaid = given.odd !== "addressless";
        for (const c of found.classes.filter(({ to }) => isSaid && !balanced.has(to.address))) {
          const alone = answerOf(inspect(askable, c.example), askable.world);
          expect([c.example, said(c)], JSON.stringify(given)).toEqual([c.example, said(alone)]);
        }
        // Every fifth of them, as diagnose asks it.
        for (const { flow, id } of members.filter((_, i) => i % 5 === 0)) {
          const asked = askedOf(flow);
          const alone = answerOf(inspect(askable, asked), askable.world);
          expect([asked, told(classes.get(id)!)], JSON.stringify(given)).toEqual([asked, told(alone)]);
        }
        flows += found.flows;
        walks += found.classes.length;
      }),
      { numRuns: Number(process.env.HAIRPIN_RUNS ?? 6), seed: Number(process.env.HAIRPIN_SEED ?? 20) },
    );
    expect(walks).toBeLessThan(flows * 0.5);
  }, 600_000);

  it("tells what fails of a Service by the walks of one before it, with its own names", () => {
    const services = Array.from({ length: 120 }, (_, s) => ({
      nodePort: true,
      ...(s % 5 === 0 && { balanced: s % 2 === 0 ? ("address" as const) : ("named" as const), local: s % 3 === 0 }),
      endpoints: [0, 1, 2].map((i) => {
        const at = s * 3 + i;
        return { node: at % 60, pod: Math.floor(at / 60), ready: true };
      }),
    }));
    const walking = sweep(askableOf({ mode: "iptables", nodes: 60, zones: 3, pods: 6, machines: "aws", services }), {});
    let walks = 0;
    let step = walking.next();
    for (; step.done !== true; step = walking.next()) walks++;
    // 301: each class that is open or fails once, then those that try what would be told of others.
    expect([step.value.classes.length, walks < 310]).toEqual([1036, true]);
  }, 240_000);

  const CLUSTER: ObjectsCluster = {
    mode: "iptables",
    nodes: 4,
    zones: 2,
    pods: 2,
    services: [
      { nodePort: true, endpoints: [{ node: 0, pod: 0, ready: true }] },
      { nodePort: true, endpoints: [{ node: 2, pod: 1, ready: true }] },
    ],
  };

  it.each<Wanted>([
    { from: ["pod/shop/pod-1-*"], to: ["service"] },
    { from: ["external/node-2", "node"], to: ["nodeport"] },
    { node: ["node-1"] },
    { namespace: ["kube-*"] },
    { to: ["svc/shop/svc-1", "kubelet"], node: ["node-[0]", "node-3"] },
    { to: ["node/node-2", "10.0.0.11:30001", "10.0.0.1?:10250", "pod/shop/pod-3-*:8080"] },
    { family: 6 },
  ])("asks what is wanted: %j", (wanted) => {
    const askable = askableOf(CLUSTER);
    const found: string[] = [];
    const { flows } = swept(askable, { ...wanted, member: (flow) => found.push(nameOf(flow)) });
    const plan = planOf(askable.world, wanted);
    expect(found.sort()).toEqual(plan.groups.flatMap((g) => [...plan.flowsOf(g)].map(nameOf)).sort());
    expect(flows).toBe(found.length);
  });

  // Beside another Service each node has rules of one; alone, some have none.
  it("proves by a patch what a node without a rule of any Service lacks", () => {
    const service = { nodePort: false, internalLocal: true, endpoints: [{ node: 1, pod: 0, ready: true }] };
    const askable = askableOf({ ...CLUSTER, nodes: 2, services: [service] });
    const { classes } = swept(askable, { from: ["pod/shop/pod-0-0"], to: ["clusterip"] });
    expect(classes.map((c) => c.causes.map((x) => `${x.code} ${x.certainty}`))).toEqual([
      ["ETP_LOCAL_NO_ENDPOINT_IPTABLES proven"],
    ]);
  });

  it.each(["iptables", "ipvs", "nftables"] as const)(
    "knows in %s mode that a Service without a list of endpoints has none, where others have one",
    (mode) => {
      const [first] = CLUSTER.services;
      const askable = askableOf({
        ...CLUSTER,
        mode,
        services: [first!, { nodePort: false, endpoints: [], unlisted: true }],
      });
      const { classes } = swept(askable, { to: ["svc/shop/svc-1"] });
      for (const c of classes) {
        const alone = answerOf(inspect(askable, c.example), askable.world);
        expect([c.example, told(c)]).toEqual([c.example, told(alone)]);
        expect(c.verdict).toBe("unreachable");
      }
    },
  );

  it("answers for Services of which the same is said by one walk, with their own names", () => {
    const askable = askableOf(CLUSTER);
    const { classes } = swept(askable, { to: ["clusterip"], from: ["node"] });
    expect(classes.map((c) => c.to.service)).toEqual(["shop/svc-0", "shop/svc-1"]);
    expect(classes.map((c) => c.facts.some((f) => f.fact.startsWith("node-0/")))).toEqual([true, false]);
    expect(classes.map((c) => c.facts.some((f) => f.fact.startsWith("node-2/")))).toEqual([false, true]);
  });
});
