import { dumpCluster, NETWORKS } from "@hairpin/testing/dumped/cluster.ts";
import { fc } from "@hairpin/testing/property.ts";
import { sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { TRAITS } from "@hairpin/testing/varied/service.ts";
import { VARIATIONS, varied } from "@hairpin/testing/varied/varied.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { type CaseInput, ReadBefore, readCase, SharedTexts } from "../parse/index.ts";
import { type Answer, findingsOf, inspect } from "./answer.ts";
import { askedOf, type Flow } from "./plan.ts";
import { type SweepOptions, sweep } from "./sweep.ts";
import type { Sweep } from "./swept.ts";

/** `HAIRPIN_SEED=NUMBER` draws other clusters, `HAIRPIN_RUNS=NUMBER` more of them. */
const SEED = Number(process.env.HAIRPIN_SEED ?? 20);
const RUNS = Number(process.env.HAIRPIN_RUNS ?? 3);
/** Flows of one cluster that are asked by themselves, too. */
const MOST = 150;

const variations = fc.array(
  fc.record({
    kind: fc.constantFrom(...VARIATIONS),
    node: fc.nat(3),
    at: fc.nat(10_000),
    everywhere: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

/** In every mode and family, with Services of every kind. */
const clusters = fc.record({
  nodes: fc.integer({ min: 3, max: 5 }),
  pods: fc.integer({ min: 1, max: 3 }),
  services: fc.constant(2),
  nodePorts: fc.integer({ min: 0, max: 2 }),
  mode: fc.constantFrom("iptables" as const, "ipvs" as const, "nftables" as const),
  family: fc.constantFrom(4 as const, 4 as const, 6 as const),
  traits: fc.array(fc.record({ trait: fc.constantFrom(...TRAITS), at: fc.nat(1) }), { maxLength: 2 }),
  faults: fc.constant([]),
  variations,
});

/** As large ones are read: what nodes have in common is kept once. */
const dumps = fc.record({
  nodes: fc.integer({ min: 4, max: 6 }),
  pods: fc.integer({ min: 1, max: 3 }),
  services: fc.integer({ min: 3, max: 6 }),
  endpoints: fc.integer({ min: 1, max: 3 }),
  local: fc.nat(2),
  objects: fc.boolean(),
  neighbours: fc.boolean(),
  podChains: fc.boolean(),
  network: fc.constantFrom(...NETWORKS),
  variations,
});

type Files = Readonly<Record<string, string>>;

function askableOf(files: Files, isShared = false): Askable {
  const inputs = Object.entries(files).map(
    ([path, text]): CaseInput =>
      isShared && path.endsWith("iptables-save.txt") ? { path, text, digest: text } : { path, text },
  );
  const kept = isShared ? new ReadBefore({ large: 0, shared: new SharedTexts() }) : undefined;
  return new Askable({ inputs, reading: readCase(inputs, undefined, undefined, kept), notes: [] }, []);
}

function swept(askable: Askable, options: SweepOptions = {}): Sweep {
  const walking = sweep(askable, options);
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

const told = ({ verdict, clientSees, leaning, causes }: Omit<Answer, "fix">): unknown => [
  verdict,
  clientSees,
  leaning,
  causes.map((c) => `${c.code} ${c.certainty}`),
];

/** Those of whom another's walk tells are asked by themselves. */
function held(files: Files, isShared: boolean, given: string): void {
  const askable = askableOf(files, isShared);
  const alone = askableOf(files);
  const others: { flow: Flow; id: string }[] = [];
  const known = new Set<string>();
  let isWalked = false;
  const walked = (): void => {
    isWalked = true;
  };
  const member = (flow: Flow, id: string): void => {
    if (known.has(id) || !isWalked) others.push({ flow, id });
    known.add(id);
    isWalked = false;
  };
  const listed = swept(askable, { member, walked });
  expect(swept(askable), `counted, not listed: ${given}`).toEqual(listed);
  const byId = new Map(listed.classes.map((c) => [c.id, c]));
  const step = Math.max(1, Math.ceil(others.length / MOST));
  for (const [i, { flow, id }] of others.entries()) {
    if (i % step !== 0) continue;
    const asked = askedOf(flow);
    const own = findingsOf(inspect(alone, asked));
    expect([asked, told(byId.get(id)!)], given).toEqual([asked, told(own)]);
  }
}

describe("a sweep of dumps that have more in them than what sets a cluster up", () => {
  it("says of every flow what diagnose says of it: in each mode and family", () => {
    fc.assert(
      fc.property(clusters, (given) =>
        held(varied(sweptCluster(given), given, given.variations), false, JSON.stringify(given)),
      ),
      { numRuns: RUNS, seed: SEED },
    );
  }, 600_000);

  it("says of every flow what diagnose says of it: where tables are kept as text", () => {
    fc.assert(
      fc.property(dumps, (given) => {
        const files = Object.fromEntries([...dumpCluster(given, given.objects)].map(({ path, text }) => [path, text]));
        held(varied(files, given, given.variations), true, JSON.stringify(given));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  }, 600_000);
});
