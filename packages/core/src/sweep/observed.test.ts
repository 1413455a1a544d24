import { OBSERVED, observedCluster } from "@hairpin/testing/observed-cluster.ts";
import { fc } from "@hairpin/testing/property.ts";
import type { Fault } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { readCase } from "../parse/index.ts";
import { type Answer, answerOf, inspect } from "./answer.ts";
import { askedOf, type Flow } from "./plan.ts";
import { sweep } from "./sweep.ts";
import type { Sweep } from "./swept.ts";

/** `HAIRPIN_SEED=NUMBER` draws other clusters. */
const SEED = Number(process.env.HAIRPIN_SEED ?? 20);

const FAULTS: readonly Fault[] = [
  "forward-policy-drop",
  "hairpin-off",
  "pod-route-missing",
  "stale-endpoint",
  "no-endpoints",
  "service-not-programmed",
  "masquerade-missing",
];

const clusters = fc.record({
  nodes: fc.integer({ min: 2, max: 3 }),
  // Beside those that serve something, several that nothing but what was seen tells apart.
  pods: fc.integer({ min: 2, max: 5 }),
  services: fc.integer({ min: 2, max: 4 }),
  nodePorts: fc.integer({ min: 0, max: 2 }),
  mode: fc.constantFrom("iptables" as const, "ipvs" as const, "nftables" as const),
  faults: fc.array(fc.record({ kind: fc.constantFrom(...FAULTS), at: fc.nat(2) }), { maxLength: 1 }),
  left: fc.option(fc.nat(40), { nil: undefined, freq: 3 }),
  seen: fc.array(
    fc.record({
      kind: fc.constantFrom(...OBSERVED),
      node: fc.nat(3),
      other: fc.nat(3),
      pod: fc.nat(4),
      service: fc.nat(2),
      port: fc.oneof(fc.integer({ min: 32768, max: 60999 }), fc.constantFrom(8080, 80, 53, 30001)),
    }),
    { maxLength: 4 },
  ),
});

const told = ({ verdict, clientSees, leaning, causes, facts }: Answer): unknown => [
  verdict,
  clientSees,
  leaning,
  causes.map((c) => `${c.code} ${c.certainty}`),
  facts.length,
];

function swept(askable: Askable, member?: (flow: Flow, id: string) => void): Sweep {
  const walking = sweep(askable, member === undefined ? {} : { member });
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

describe("a sweep of a cluster in which something was observed", () => {
  it("says of every flow what diagnose says of it, whichever class answers for it", () => {
    const counted = { flows: 0, walks: 0 };
    fc.assert(
      fc.property(clusters, ({ left, seen, ...given }) => {
        const files = observedCluster(given, seen);
        const paths = Object.keys(files).filter((p) => p.startsWith("nodes/"));
        const out = left === undefined ? undefined : paths[left % paths.length];
        const inputs = Object.entries(files).flatMap(([path, text]) => (path === out ? [] : [{ path, text }]));
        const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
        expect(askable.evidence.isSilent).toBe(false);
        const members: { flow: Flow; id: string }[] = [];
        const listed = swept(askable, (flow, id) => members.push({ flow, id }));
        const { classes, flows, walks } = listed;
        expect(swept(askable), "counted, not listed").toEqual(listed);
        counted.flows += flows;
        counted.walks += walks;
        expect(members.length).toBe(flows);
        const byId = new Map(classes.map((c) => [c.id, c]));
        for (const { flow, id } of members) {
          const asked = askedOf(flow);
          const alone = answerOf(inspect(askable, asked), askable.world);
          const about = JSON.stringify({ ...given, seen, out });
          expect([asked, told(byId.get(id)!)], about).toEqual([asked, told(alone)]);
        }
      }),
      { numRuns: Number(process.env.HAIRPIN_RUNS ?? 6), seed: SEED },
    );
    if (process.env.HAIRPIN_SEED === undefined) expect(counted.walks).toBeLessThan(counted.flows * 0.8);
  }, 600_000);
});
