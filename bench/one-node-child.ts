import { Askable } from "@hairpin/core/diagnose/index.ts";
import { type CaseInput, ReadBefore, readCase } from "@hairpin/core/parse/index.ts";
import { compareSweeps, type SweepChanges } from "@hairpin/core/sweep/index.ts";
import { type SweptCluster, sweptCluster } from "@hairpin/testing/swept-cluster.ts";

/** What the second of two snapshots took, in seconds of the processor, beside the first. */
export interface OneNode {
  readonly flows: number;
  readonly changed: number;
  readonly walks: SweepChanges["walks"];
  readonly reading: number;
  /** The second: of its files those that differ are read. */
  readonly readingAgain: number;
  readonly before: number;
  readonly after: number;
  /** To lay them beside each other. */
  readonly beside: number;
  readonly memory: number;
}

const [nodes = "200", fault = ""] = process.argv.slice(2);

function inputsOf(faults: SweptCluster["faults"]): readonly CaseInput[] {
  const files = sweptCluster({ nodes: Number(nodes), pods: 1, services: 5, nodePorts: 2, faults });
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

const seconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const at = Math.floor(Number(nodes) / 2);
const [before, after] = [inputsOf([]), inputsOf(fault === "" ? [] : [{ kind: fault as "kubelet-down", at }])];
const readBefore = new ReadBefore();
const asked = (inputs: readonly CaseInput[]): Askable => {
  const askable = new Askable({ inputs, reading: readCase(inputs, undefined, undefined, readBefore), notes: [] }, []);
  void askable.world;
  return askable;
};
const began = seconds();
const a = asked(before);
const readFirst = seconds();
const b = asked(after);
const read = seconds();
const walking = compareSweeps({ askable: a }, { askable: b }, {});
let found: SweepChanges | undefined;
const took = { before: 0, after: 0, beside: 0 };
for (let at = read; found === undefined; ) {
  const step = walking.next();
  const now = seconds();
  took[step.done === true ? "beside" : step.value.side] += now - at;
  at = now;
  if (step.done === true) found = step.value;
}
const once: OneNode = {
  flows: found.flows,
  changed: found.changed.reduce((n, c) => n + c.flows, 0),
  walks: found.walks,
  reading: readFirst - began,
  readingAgain: read - readFirst,
  ...took,
  memory: Math.round(process.resourceUsage().maxRSS / 1024),
};
process.stdout.write(JSON.stringify(once));
