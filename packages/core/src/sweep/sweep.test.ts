import { fc } from "@hairpin/testing/property.ts";
import { type Fault, type SweptCluster, sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { readCase } from "../parse/index.ts";
import { type Answer, answerOf, inspect } from "./answer.ts";
import { askedOf, type Flow } from "./plan.ts";
import { type SweepOptions, sweep } from "./sweep.ts";
import type { Sweep } from "./swept.ts";

export function askableOf(files: Readonly<Record<string, string>>): Askable {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
}

function swept(askable: Askable, options: SweepOptions = {}): Sweep {
  const walking = sweep(askable, options);
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

/** `HAIRPIN_SEED=NUMBER` draws other clusters. */
const SEED = Number(process.env.HAIRPIN_SEED ?? 20);

const KINDS: readonly Fault[] = [
  "forward-policy-drop",
  "ip-forward-off",
  "hairpin-off",
  "blackhole-route",
  "no-endpoints",
  "stale-endpoint",
  "service-not-programmed",
  "pod-route-missing",
  "kubelet-rejected",
  "local-policy",
  "masquerade-missing",
  "kubelet-down",
];

const clusters = fc
  .record({
    nodes: fc.integer({ min: 2, max: 4 }),
    pods: fc.integer({ min: 1, max: 3 }),
    services: fc.integer({ min: 2, max: 3 }),
    nodePorts: fc.integer({ min: 1, max: 2 }),
    faults: fc.array(fc.record({ kind: fc.constantFrom(...KINDS), at: fc.integer({ min: 0, max: 2 }) }), {
      maxLength: 3,
    }),
  })
  .map((c): SweptCluster => c);

/** Small, with what can be wrong in every mode, and a file that was not collected. */
const fewer = fc.record({
  // Some host no endpoint.
  nodes: fc.integer({ min: 4, max: 5 }),
  pods: fc.constant(1),
  services: fc.constant(1),
  nodePorts: fc.integer({ min: 0, max: 1 }),
  faults: fc.array(
    fc.record({
      kind: fc.constantFrom<Fault>("ip-forward-off", "hairpin-off", "blackhole-route", "no-endpoints", "kubelet-down"),
      at: fc.integer({ min: 0, max: 1 }),
    }),
    { maxLength: 1 },
  ),
  left: fc.option(fc.nat(20), { nil: undefined }),
});

/** What a person is told of a flow, but for the names of its places. */
const told = ({ verdict, clientSees, leaning, causes }: Answer): unknown => [
  verdict,
  clientSees,
  leaning,
  causes.map((c) => `${c.code} ${c.certainty}`),
];

describe("a sweep", () => {
  it("says of every flow what diagnose says of it, whichever class answers for it", () => {
    let flows = 0;
    let walks = 0;
    fc.assert(
      fc.property(clusters, (given) => {
        const found = held(sweptCluster(given), JSON.stringify(given));
        flows += found.flows;
        walks += found.walks;
      }),
      { numRuns: 4, seed: SEED },
    );
    // A class that stands for one flow only would make this test one of nothing; other draws may be of tiny clusters.
    if (process.env.HAIRPIN_SEED === undefined) expect(walks).toBeLessThan(flows * 0.7);
  }, 240_000);

  it.each([
    ["iptables", 4],
    ["ipvs", 4],
    ["nftables", 4],
    ["iptables", 6],
    ["ipvs", 6],
    ["nftables", 6],
  ] as const)(
    "does so in %s mode of IPv%d, and where a file is left out",
    (mode, family) => {
      let flows = 0;
      let walks = 0;
      fc.assert(
        fc.property(fewer, ({ left, ...given }) => {
          const files = sweptCluster({ ...given, mode, family });
          const paths = Object.keys(files).filter((p) => p.startsWith("nodes/"));
          const out = left === undefined ? undefined : paths[left % paths.length];
          const kept = Object.fromEntries(Object.entries(files).filter(([path]) => path !== out));
          const found = held(kept, JSON.stringify({ ...given, out }));
          flows += found.flows;
          walks += found.walks;
        }),
        { numRuns: Number(process.env.HAIRPIN_RUNS ?? 2), seed: SEED + 1 },
      );
      expect(walks).toBeLessThan(flows);
    },
    240_000,
  );

  it("tells apart the addresses by which one node is asked for a node port", () => {
    const files = sweptCluster({ nodes: 2, pods: 1, services: 2, nodePorts: 2, faults: [] });
    const [addresses, rules] = ["nodes/node-1/ip-addr.txt", "nodes/node-1/iptables-save.txt"];
    files[addresses] = files[addresses]!.replace(
      "scope global eth0\n",
      "scope global eth0\n    inet 10.0.9.9/16 brd 10.0.255.255 scope global secondary eth0\n",
    );
    files[rules] = `*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.0.9.9/32 -j DROP\nCOMMIT\n${files[rules]}`;
    const { classes } = held(files, "a second address");
    const verdicts = classes.flatMap((c) => (c.to.via === "nodeport" ? [c.verdict] : []));
    expect(new Set(verdicts)).toEqual(new Set(["reachable", "unreachable"]));
  });

  it("tells apart whom IPVS keeps sending to a server that is gone", () => {
    const files = sweptCluster({ nodes: 2, pods: 3, services: 2, nodePorts: 0, faults: [], mode: "ipvs" });
    const servers = "nodes/node-0/ipvsadm-save.txt";
    files[servers] = files[servers]!.replace("-A -t 10.96.0.2:80 -s rr", "-A -t 10.96.0.2:80 -s rr -p 300");
    files[servers] += "-a -t 10.96.0.2:80 -r 10.128.1.200:8080 -m -w 0\n";
    const settings = "nodes/node-0/sysctl.txt";
    files[settings] = files[settings]!.replace("expire_quiescent_template = 1", "expire_quiescent_template = 0");
    files["nodes/node-0/ipvsadm-lnc.txt"] = `IPVS connection entries
pro expire state       source             virtual            destination
TCP 04:58  NONE        10.128.0.12:0      10.96.0.2:80       10.128.1.200:8080
`;
    const { classes } = held(files, "a persistence template");
    expect(new Set(classes.map((c) => c.verdict)).size).toBeGreaterThan(1);
  });
});

/** Every flow, by its class and by itself. */
function held(files: Readonly<Record<string, string>>, given: string): Sweep {
  const askable = askableOf(files);
  const members: { flow: Flow; id: string }[] = [];
  const found = swept(askable, { member: (flow, id) => members.push({ flow, id }) });
  const classes = new Map(found.classes.map((c) => [c.id, c]));
  expect(members.length).toBe(found.flows);
  for (const { flow, id } of members) {
    const asked = askedOf(flow);
    const alone = answerOf(inspect(askable, asked), askable.world);
    expect([asked, told(classes.get(id)!)], given).toEqual([asked, told(alone)]);
  }
  return found;
}
