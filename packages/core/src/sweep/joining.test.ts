import { dumpCluster, NETWORKS } from "@hairpin/testing/dumped/cluster.ts";
import { type Edit, edited, edits, KINDS_OF_NODES } from "@hairpin/testing/edited-cluster.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { type CaseInput, ReadBefore, readCase, SharedTexts } from "../parse/index.ts";
import { Asking } from "./asking.ts";
import { Joining, Likeness } from "./joining.ts";
import { askedOf, planOf } from "./plan.ts";
import { sweep } from "./sweep.ts";
import type { Sweep } from "./swept.ts";
import { viewsOf } from "./views/views.ts";

/** `HAIRPIN_SEED=NUMBER` draws other clusters. */
const SEED = Number(process.env.HAIRPIN_SEED ?? 20);

const clusters = fc.record({
  nodes: fc.integer({ min: 5, max: 7 }),
  pods: fc.integer({ min: 1, max: 3 }),
  services: fc.integer({ min: 3, max: 5 }),
  endpoints: fc.integer({ min: 1, max: 2 }),
  local: fc.integer({ min: 0, max: 1 }),
  objects: fc.boolean(),
  neighbours: fc.boolean(),
  podChains: fc.boolean(),
  network: fc.constantFrom(...NETWORKS),
  edits: fc.array(edits, { maxLength: 2 }),
});

type Given = { readonly objects: boolean; readonly edits: readonly Edit[] } & Parameters<typeof dumpCluster>[0];

const PLAIN = { nodes: 6, pods: 2, services: 3, endpoints: 1, local: 0 };

function askableOf({ objects, edits, ...given }: Given): Askable {
  const inputs = [...dumpCluster(given, objects)].map(({ path, text }): CaseInput => {
    const own = edits.reduce((t, edit) => edited(path, t, edit), text);
    return path.endsWith("iptables-save.txt") ? { path, text: own, digest: own } : { path, text: own };
  });
  const kept = new ReadBefore({ large: 0, shared: new SharedTexts() });
  return new Askable({ inputs, reading: readCase(inputs, undefined, undefined, kept), notes: [] }, []);
}

function swept(walking: Generator<unknown, Sweep>): Sweep {
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

describe("who goes the way of another without being compared", () => {
  it("is of the class that comparing all that it looks at would find", () => {
    let joined = 0;
    let flows = 0;
    const held = (given: Given): void => {
      const askable = askableOf(given);
      const views = viewsOf(askable)!;
      const likeness = new Likeness(views);
      const plan = planOf(askable.world);
      for (const group of plan.groups) {
        const asking = new Asking<object>(askable, askable.world, views, undefined, undefined);
        const joining = new Joining<object>(likeness, asking);
        for (const flow of plan.flowsOf(group)) {
          const first = joining.find(flow);
          const known = asking.find(flow, undefined);
          flows++;
          if (first !== undefined) {
            // Of a group with more classes than are kept not all can be found by comparing.
            if (known === undefined && asking.full) continue;
            joined++;
            expect([askedOf(flow), known === first.open], JSON.stringify(given)).toEqual([askedOf(flow), true]);
          } else joining.note(flow, known ?? asking.open(flow, undefined, () => ({})).opened);
        }
      }
    };
    // Each kind of difference: on one node about another that serves, and everywhere about one that does not; then draws of everything.
    for (let kind = 0; kind < KINDS_OF_NODES; kind++)
      for (const everywhere of [false, true])
        held({
          ...PLAIN,
          neighbours: kind >= 14,
          objects: everywhere,
          edits: [{ kind, node: 4, at: everywhere ? 4 : 1, everywhere }],
        });
    // Neighbours of a node that serves, and of one that asks with pods.
    for (const kind of [14, 15, 16])
      for (const node of [1, 4])
        for (const at of [0, 3])
          held({ ...PLAIN, neighbours: true, objects: true, edits: [{ kind, node, at, everywhere: false }] });
    // All ports of a node have one address: the first of them is looked at.
    held({ ...PLAIN, nodes: 5, neighbours: false, podChains: false, network: "routed", objects: false, edits: [] });
    fc.assert(fc.property(clusters, held), { numRuns: Number(process.env.HAIRPIN_RUNS ?? 4), seed: SEED });
    // Else nobody went another's way.
    if (process.env.HAIRPIN_SEED === undefined) expect(joined).toBeGreaterThan(flows * 0.2);
  }, 240_000);

  it("is counted as if it had been listed", () => {
    fc.assert(
      fc.property(clusters, (given) => {
        for (const to of [[], ["pod", "svc/*/*-00001"]]) {
          const listed = swept(sweep(askableOf(given), { to, member: () => {} }));
          const counted = swept(sweep(askableOf(given), { to }));
          expect(counted, JSON.stringify(given)).toEqual(listed);
        }
      }),
      { numRuns: Number(process.env.HAIRPIN_RUNS ?? 3), seed: SEED + 1 },
    );
  }, 240_000);
});
