import { fc } from "@hairpin/testing/property.ts";
import { type Fault, sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { readCase } from "../parse/index.ts";
import { sharedWith } from "./changes.ts";
import { sweepJson } from "./json.ts";
import { Memory, Recall } from "./recall.ts";
import { type SweepOptions, sweep } from "./sweep.ts";
import type { Sweep } from "./swept.ts";

function askableOf(files: Readonly<Record<string, string>>): Askable {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
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

/** Rules most of the time: there is more to be left out of them. */
const CHANGED =
  /(?:iptables-save|iptables-save|ipset-save|ipvsadm-save|nft-list-ruleset|ss-lntp|sysctl|ip-route)\.txt$/;

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
        const [a, b] = [askableOf(before), askableOf(after)];
        const shared = sharedWith({ askable: a }, { askable: b });
        // What is found without coming by there has all walked anew.
        if (shared === undefined) return;
        const memory = new Memory();
        swept(a, { memory });
        const walked = (): void => void walks++;
        const recall = new Recall(memory, shared.changed, shared.side.askable.world);
        const found = swept(shared.side.askable, { recall, walked });
        recalled++;
        classes += found.walks;
        const said = JSON.stringify(sweepJson(found), null, 1);
        expect(said, JSON.stringify([given, rules, path, lines[at]])).toBe(
          JSON.stringify(sweepJson(swept(b, {})), null, 1),
        );
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(recalled).toBeGreaterThan(0);
    expect(walks).toBeLessThan(classes);
  }, 600_000);
});
