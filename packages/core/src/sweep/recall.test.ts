import { fc } from "@hairpin/testing/property.ts";
import { type Fault, nodeAddress, sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { ReadBefore, readCase, SharedTexts } from "../parse/index.ts";
import { sharedWith } from "./changes.ts";
import { sweepJson } from "./json.ts";
import { Memory, Recall } from "./recall.ts";
import { type SweepOptions, sweep } from "./sweep.ts";
import type { Sweep } from "./swept.ts";

function askableOf(files: Readonly<Record<string, string>>, before?: ReadBefore): Askable {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return new Askable({ inputs, reading: readCase(inputs, undefined, undefined, before), notes: [] }, []);
}

function swept(askable: Askable, options: SweepOptions): Sweep {
  const walking = sweep(askable, options);
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

/** `HAIRPIN_SEED=NUMBER` draws other clusters and changes, `HAIRPIN_RUNS=NUMBER` more of them. */
const SEED = Number(process.env.HAIRPIN_SEED ?? 20);
const RUNS = Number(process.env.HAIRPIN_RUNS ?? 3);

const KINDS: readonly Fault[] = [
  "forward-policy-drop",
  "ip-forward-off",
  "blackhole-route",
  "no-endpoints",
  "stale-endpoint",
  "service-not-programmed",
  "local-policy",
  "masquerade-missing",
  "kubelet-down",
];

const changes = fc.record({
  nodes: fc.integer({ min: 3, max: 4 }),
  services: fc.integer({ min: 1, max: 2 }),
  nodePorts: fc.integer({ min: 0, max: 1 }),
  mode: fc.constantFrom("iptables", "iptables", "ipvs", "nftables"),
  faults: fc.array(fc.record({ kind: fc.constantFrom(...KINDS), at: fc.integer({ min: 0, max: 2 }) }), {
    maxLength: 2,
  }),
  /** The line that is left out of a dump of one node. */
  file: fc.nat(100),
  line: fc.nat(1000),
});

const socket = (address: string, port: number): string =>
  `LISTEN   0        4096     ${address}:${port}     *:*       users:(("x",pid=9,fd=4))\n`;

const leaning = fc.record({
  objects: fc.constantFrom("all", "without pods", "none"),
  nodes: fc.integer({ min: 4, max: 6 }),
  services: fc.integer({ min: 1, max: 3 }),
  nodePorts: fc.integer({ min: 0, max: 1 }),
  node: fc.nat(5),
  /** Rules of kube-proxy that one node lacks. */
  out: fc.array(fc.nat(1000), { maxLength: 2 }),
  /** Sockets that it has: of ports that nobody asks, and of some that are asked; on all addresses and on single ones. */
  sockets: fc.array(
    fc.constantFrom(
      () => socket("*", 9100),
      () => socket("127.0.0.1", 10248),
      () => socket("0.0.0.0", 8080),
      (nodes: number) => socket(nodeAddress(nodes - 1), 9101),
      () => socket(nodeAddress(0), 30_000),
    ),
    { maxLength: 2 },
  ),
  /** Its kubelet listens no more. */
  isDown: fc.boolean(),
  /** What nobody showed. */
  hidden: fc.constantFrom("nothing", "sockets of the others", "sockets", "routes"),
  /** The first has what the second has not. */
  isBack: fc.boolean(),
});

type Leaning = typeof leaning extends fc.Arbitrary<infer T> ? T : never;
const AS_IT_IS: Leaning = {
  objects: "none",
  nodes: 5,
  services: 2,
  nodePorts: 0,
  node: 4,
  out: [],
  sockets: [],
  isDown: false,
  hidden: "nothing",
  isBack: false,
};
const another = () => socket("*", 9100);

/** Drawn whatever the seed: each fails if one of the questions by which flows keep their answer is left out. */
const EXAMPLES: [Leaning][] = [
  // Rules that one node lacks: for a Service's address, behind one that is, and for a node port.
  [{ ...AS_IT_IS, out: [12] }],
  [{ ...AS_IT_IS, out: [16] }],
  [{ ...AS_IT_IS, nodePorts: 1, out: [2] }],
  // One that has it again is like the others, and is asked before them.
  [{ ...AS_IT_IS, node: 3, out: [12], isBack: true }],
  // A node comes to be like the others, or like none; a socket that is asked, and one that nobody asks.
  [{ ...AS_IT_IS, sockets: [another], isBack: true }],
  [{ ...AS_IT_IS, sockets: [another] }],
  [{ ...AS_IT_IS, objects: "all", isDown: true, sockets: [another] }],
  // What facts name is the client's own node; whether a node is as it should be tells flows apart.
  [{ ...AS_IT_IS, hidden: "routes", sockets: [another] }],
  [{ ...AS_IT_IS, objects: "all", hidden: "sockets", out: [12] }],
];

/** Without their pods nobody knows whether endpoints are there. */
const objectsIn = (yaml: string, hasPods: boolean): string =>
  yaml
    .split(/^(?=- )/m)
    .filter((o) => hasPods || !/^ {2}kind: Pod$/m.test(o))
    .join("");

/** Rules most of the time: there is more to be left out of them. */
const CHANGED =
  /(?:iptables-save|iptables-save|ipset-save|ipvsadm-save|nft-list-ruleset|ss-lntp|sysctl|ip-route)\.txt$/;

/** A case, and what of it is otherwise in another. */
interface Pair {
  readonly before: Files;
  readonly after: Files;
  readonly what: string;
}
type Files = Readonly<Record<string, string>>;

/** How many classes were walked, of how many; undefined: what differs is found without coming by there, and all is walked anew. */
function held({ before, after, what }: Pair): { readonly walks: number; readonly classes: number } | undefined {
  const readBefore = new ReadBefore({ shared: new SharedTexts() });
  const [a, b] = [askableOf(before, readBefore), askableOf(after, readBefore)];
  const shared = sharedWith({ askable: a }, { askable: b });
  if (shared === undefined) return undefined;
  const memory = new Memory();
  swept(a, { memory });
  let walks = 0;
  const walked = (): void => void walks++;
  const recall = new Recall(memory, shared.changed, shared.side.askable.world);
  const found = swept(shared.side.askable, { recall, walked });
  const said = JSON.stringify(sweepJson(found), null, 1);
  expect(said, what).toBe(JSON.stringify(sweepJson(swept(askableOf(after), {})), null, 1));
  return { walks, classes: found.walks };
}

describe("a sweep that recalls another", () => {
  it("says, word for word, what it says by itself", () => {
    let recalled = 0;
    let walks = 0;
    let classes = 0;
    fc.assert(
      fc.property(changes, ({ file, line, faults, ...given }) => {
        const rules =
          given.mode === "iptables" ? faults : faults.filter((f) => !/programmed|drop|missing/.test(f.kind));
        const before = sweptCluster({ ...given, pods: 1, faults: rules });
        const paths = Object.keys(before).filter((p) => CHANGED.test(p));
        const path = paths[file % paths.length]!;
        const lines = before[path]!.split("\n");
        const at = line % (lines.length - 1);
        const after = { ...before, [path]: lines.filter((_, i) => i !== at).join("\n") };
        const one = held({ before, after, what: JSON.stringify([given, rules, path, lines[at]]) });
        if (one === undefined) return;
        recalled++;
        walks += one.walks;
        classes += one.classes;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(recalled).toBeGreaterThan(0);
    expect(walks).toBeLessThan(classes);
  }, 600_000);

  it("does so where nothing is known of pods, of rules and of sockets that come and go", () => {
    fc.assert(
      fc.property(leaning, ({ objects, node, out, sockets, isDown, hidden, isBack, ...given }) => {
        const { "objects.yaml": yaml, ...dumps } = sweptCluster({ ...given, pods: 1, faults: [] });
        const folder = `nodes/node-${node % given.nodes}`;
        const all: Files =
          objects === "none" ? dumps : { ...dumps, "objects.yaml": objectsIn(yaml!, objects === "all") };
        const isShown = (path: string): boolean =>
          hidden === "routes"
            ? !path.endsWith("/ip-route.txt")
            : hidden === "nothing" ||
              !path.endsWith("/ss-lntp.txt") ||
              (hidden !== "sockets" && path.startsWith(`${folder}/`));
        const before: Files = Object.fromEntries(Object.entries(all).filter(([path]) => isShown(path)));
        const after: Record<string, string> = { ...before };
        const rules = `${folder}/iptables-save.txt`;
        const lines = before[rules]!.split("\n");
        const own = lines.flatMap((l, i) => (/^-A KUBE-(?:SVC|SEP|SERVICES|EXT|NODEPORTS)/.test(l) ? [i] : []));
        const gone = new Set(out.map((n) => own[n % own.length]!));
        after[rules] = lines.filter((_, i) => !gone.has(i)).join("\n");
        const bound = sockets.map((s) => s(given.nodes)).join("");
        const heard = before[`${folder}/ss-lntp.txt`];
        if (heard !== undefined)
          after[`${folder}/ss-lntp.txt`] = `${isDown ? heard.replace(/^.*:10250 .*\n/m, "") : heard}${bound}`;
        const sides = isBack ? { before: after, after: before } : { before, after };
        held({
          ...sides,
          what: JSON.stringify([given, objects, folder, [...gone].map((i) => lines[i]), bound, isBack]),
        });
      }),
      { numRuns: RUNS + EXAMPLES.length, seed: SEED, examples: EXAMPLES },
    );
  }, 600_000);
});
