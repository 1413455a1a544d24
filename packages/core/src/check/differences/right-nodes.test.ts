import { fc } from "@hairpin/testing/property.ts";
import { sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { ReadBefore, readCase, SharedTexts } from "../../parse/index.ts";
import { differencesOf } from "./index.ts";

/** `HAIRPIN_SEED=NUMBER` draws other clusters, `HAIRPIN_RUNS=NUMBER` more of them. */
const SEED = Number(process.env.HAIRPIN_SEED ?? 20);
const RUNS = Number(process.env.HAIRPIN_RUNS ?? 12);

type Files = Readonly<Record<string, string>>;

/** `shared`: tables of many nodes have their chains from one text, as in a sweep. */
function differences(files: Files, shared: boolean): string {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  const before = new ReadBefore(shared ? { shared: new SharedTexts() } : {});
  const { dumps } = readCase(inputs, undefined, undefined, before);
  return JSON.stringify(differencesOf(dumps, inputs, undefined).map(({ node, drafts }) => ({ node, drafts })));
}

const clusters = fc.record({
  nodes: fc.integer({ min: 3, max: 7 }),
  services: fc.integer({ min: 1, max: 4 }),
  nodePorts: fc.integer({ min: 1, max: 4 }),
  /** Services with `externalTrafficPolicy: Local`: what is written of them is each node's own. */
  local: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
  /** A node, a line of its rules and what becomes of it; or of its sysctls. */
  node: fc.nat(6),
  line: fc.nat(1000),
  how: fc.constantFrom("nothing", "gone", "twice", "moved", "sysctl", "another's"),
});
type Cluster = typeof clusters extends fc.Arbitrary<infer T> ? T : never;

function filesOf({ node, line, how, local, ...given }: Cluster): Files {
  const faults = local.map((at) => ({ kind: "local-policy" as const, at }));
  const files = sweptCluster({ ...given, pods: 1, faults });
  const path = (n: number, file: string): string => `nodes/node-${n % given.nodes}/${file}`;
  if (how === "sysctl") {
    const own = path(node, "sysctl.txt");
    return { ...files, [own]: files[own]!.replace(/(route_localnet = )\d/g, "$10") };
  }
  const own = path(node, "iptables-save.txt");
  if (how === "another's") return { ...files, [own]: files[path(node + 1, "iptables-save.txt")]! };
  const lines = files[own]!.split("\n");
  const rules = lines.flatMap((l, i) => (l.startsWith("-A KUBE") ? [i] : []));
  const at = rules[line % rules.length]!;
  if (how === "gone") lines.splice(at, 1);
  if (how === "twice") lines.splice(at, 0, lines[at]!);
  if (how === "moved") lines.splice(at - 1, 0, ...lines.splice(at, 1));
  return { ...files, [own]: lines.join("\n") };
}

const AS_IT_SHOULD_BE: Cluster = {
  nodes: 6,
  services: 4,
  nodePorts: 4,
  local: [1, 2],
  node: 5,
  line: 0,
  how: "nothing",
};

describe("nodes that are held against one that is right", () => {
  it("are said to differ as if all of their rules had been read", () => {
    fc.assert(
      fc.property(clusters, (cluster) => {
        const files = filesOf(cluster);
        expect(differences(files, true), JSON.stringify(cluster)).toBe(differences(files, false));
      }),
      {
        numRuns: RUNS + 4,
        seed: SEED,
        examples: [
          [AS_IT_SHOULD_BE],
          [{ ...AS_IT_SHOULD_BE, how: "another's" }],
          [{ ...AS_IT_SHOULD_BE, how: "sysctl" }],
          [{ ...AS_IT_SHOULD_BE, how: "gone", line: 3 }],
        ],
      },
    );
  }, 120_000);
});
