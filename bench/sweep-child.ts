import { Askable } from "@hairpin/core/diagnose/index.ts";
import { type CaseInput, readCase } from "@hairpin/core/parse/index.ts";
import { causesIn, type Sweep, sweep } from "@hairpin/core/sweep/index.ts";
import { type ObjectsCluster, objectsCluster } from "@hairpin/testing/objects-cluster.ts";
import { type Fault, FOUND_AS, sweptCluster } from "@hairpin/testing/swept-cluster.ts";

/** What one sweep took, in seconds of the processor and megabytes. */
export interface SweptOnce {
  readonly flows: number;
  readonly answered: number;
  readonly classes: number;
  readonly walks: number;
  readonly reading: number;
  readonly sweeping: number;
  readonly memory: number;
  readonly causes: readonly string[];
  /** Of what was planted: what is not found, and what is claimed beside it. */
  readonly lacking: readonly string[];
  readonly beside: readonly string[];
}

const FAULTS = Object.keys(FOUND_AS) as Fault[];

/** What a cluster has beside nodes, pods and Services with node ports. */
const KINDS: Readonly<Record<string, Partial<ObjectsCluster>>> = {
  plain: {},
  balanced: { machines: "aws", policies: true },
  unconfigured: { machines: "aws", policies: true, unconfigured: true },
  cilium: { machines: "aws", policies: true, cilium: "beside" },
};

/** 2,000 of the Services have a node port: the usual range has no more than 2,768. Each fifth of them has a load balancer, where there are any. */
function objects(mode: ObjectsCluster["mode"], nodes: number, services: number, kind: string): readonly CaseInput[] {
  const pods = 6;
  const offered = Array.from({ length: services }, (_, s) => ({
    nodePort: s < 2000,
    ...(kind !== "plain" &&
      s < 2000 &&
      s % 5 === 0 && { balanced: s % 2 === 0 ? ("address" as const) : ("named" as const), local: s % 3 === 0 }),
    endpoints: [0, 1, 2].map((i) => {
      const at = s * 3 + i;
      return { node: at % nodes, pod: Math.floor(at / nodes) % pods, ready: true };
    }),
  }));
  const text = objectsCluster({ mode, nodes, zones: 3, pods, services: offered, ...KINDS[kind] });
  return [{ path: "objects.json", text }];
}

/** Services, and a node that hosts an endpoint: hairpin matters to nobody else. */
const WHERE: Partial<Record<Fault, number>> = { "no-endpoints": 4, "local-policy": 1, "hairpin-off": 10 };

const faultsIn = (nodes: number) =>
  FAULTS.map((kind, i) => ({ kind, at: WHERE[kind] ?? Math.floor((nodes * (i + 1)) / 14) }));

function planted(nodes: number): readonly CaseInput[] {
  const faults = faultsIn(nodes);
  const files = sweptCluster({ nodes, pods: 1, services: 5, nodePorts: 2, faults });
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

const seconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const [what, first = "", second = "", third = "", kind = "plain"] = process.argv.slice(2);
const inputs =
  what === "planted"
    ? planted(Number(first))
    : objects(first as ObjectsCluster["mode"], Number(second), Number(third), kind);
const began = seconds();
const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
const read = seconds();
let walks = 0;
const walking = sweep(askable);
let found: Sweep | undefined;
while (found === undefined) {
  const step = walking.next();
  if (step.done === true) found = step.value;
  else walks++;
}
const told = causesIn(found.classes);
const expected =
  what === "planted"
    ? faultsIn(Number(first)).flatMap(({ kind, at }) =>
        FOUND_AS[kind].codes.map((c) => `${c} ${FOUND_AS[kind].at(at)}`),
      )
    : [];
const claimed = told.map((c) => `${c.code} ${c.at}`);
const swept: SweptOnce = {
  flows: found.flows,
  answered: found.answered,
  classes: found.classes.length,
  walks,
  reading: read - began,
  sweeping: seconds() - read,
  memory: Math.round(process.resourceUsage().maxRSS / 1024),
  causes: told.map((c) => `${c.code} ${c.at}: ${c.flows} flows`),
  lacking: expected.filter((c) => !claimed.includes(c)),
  beside: what === "planted" ? claimed.filter((c) => !expected.includes(c)) : [],
};
process.stdout.write(JSON.stringify(swept));
