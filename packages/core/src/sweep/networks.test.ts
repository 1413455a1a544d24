import { type DumpCluster, dumpCluster, type NetworkKind } from "@hairpin/testing/dumped/cluster.ts";
import { varied } from "@hairpin/testing/varied/varied.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { type CaseInput, ReadBefore, readCase, SharedTexts } from "../parse/index.ts";
import { type Answer, findingsOf, inspect } from "./answer.ts";
import { askedOf, type Flow } from "./plan.ts";
import { sweep } from "./sweep.ts";

type Files = Readonly<Record<string, string>>;

const GIVEN: DumpCluster = { nodes: 4, pods: 3, services: 2, endpoints: 1, local: 1, neighbours: true };

const filesOf = (given: DumpCluster): Files =>
  Object.fromEntries([...dumpCluster(given, true)].map(({ path, text }) => [path, text]));

function askableOf(files: Files, isShared: boolean): Askable {
  const inputs = Object.entries(files).map(
    ([path, text]): CaseInput =>
      isShared && path.endsWith("iptables-save.txt") ? { path, text, digest: text } : { path, text },
  );
  const kept = isShared ? new ReadBefore({ large: 0, shared: new SharedTexts() }) : undefined;
  return new Askable({ inputs, reading: readCase(inputs, undefined, undefined, kept), notes: [] }, []);
}

interface Listed {
  /** What is said of each flow: by a walk of its own, or of another's. */
  readonly flows: readonly (readonly [Flow, unknown])[];
  readonly walks: number;
}

function listedOf(files: Files): Listed {
  const members: { flow: Flow; id: string }[] = [];
  const walking = sweep(askableOf(files, true), { member: (flow, id) => members.push({ flow, id }) });
  let step = walking.next();
  while (step.done !== true) step = walking.next();
  const { classes, walks } = step.value;
  const byId = new Map(classes.map((c) => [c.id, told(c)]));
  return { flows: members.map(({ flow, id }) => [flow, byId.get(id)]), walks };
}

const told = ({ verdict, clientSees, leaning, causes }: Omit<Answer, "fix">): unknown => [
  verdict,
  clientSees,
  leaning,
  causes.map((c) => `${c.code} ${c.certainty}`),
];

const undisturbed = new Map<NetworkKind, number>();
function walksOf(network: NetworkKind): number {
  const known = undisturbed.get(network) ?? listedOf(filesOf({ ...GIVEN, network })).walks;
  undisturbed.set(network, known);
  return known;
}

describe("pods behind ports of their own", () => {
  it.each(["routed", "calico", "eni"] as const)("more of them ask for no more walks: %s", (network) => {
    const few = listedOf(filesOf({ ...GIVEN, network, pods: 3 }));
    const many = listedOf(filesOf({ ...GIVEN, network, pods: 6 }));
    expect(many.flows.length).toBeGreaterThan(few.flows.length * 2);
    expect(many.walks).toBeLessThan(few.walks * 1.1);
    expect(many.walks).toBeLessThan(many.flows.length / 10);
  });

  it.each<readonly [string, NetworkKind, number]>([
    ["drop-of-port", "routed", 0],
    ["drop-but-of-port", "routed", 0],
    ["drop-of-port-to-one", "calico", 1],
    ["drop-between-ports", "routed", 0],
    ["drop-between-ports-by-chain", "calico", 0],
    ["drop-between-ports-by-chain", "calico", 1],
    ["translated-by-port", "routed", 1],
    ["marked-by-port", "eni", 0],
    ["set-of-ports", "calico", 0],
    ["port-checked", "routed", 1],
    ["chain-of-port-drops", "calico", 0],
    ["chain-of-port-drops", "calico", 1],
    ["port-not-dispatched", "calico", 0],
    ["one-among-ports", "calico", 1],
    ["pod-of-two-nodes", "calico", 0],
    ["route-of-pod-lost", "eni", 0],
    ["source-of-pods-route", "routed", 0],
    // The far end of a tunnel is in no packet where there is no way to it.
    ["host-unreachable", "overlay", 1],
  ])("are told apart by what is said of one: %s, %s", (kind, network, at) => {
    const whole = filesOf({ ...GIVEN, network });
    const files = varied(whole, { ...GIVEN, family: 4 }, [{ kind, node: 3, at, everywhere: false }]);
    expect(files).not.toEqual(whole);
    const alone = askableOf(files, false);
    const { flows, walks } = listedOf(files);
    for (const [flow, answer] of flows) {
      const asked = askedOf(flow);
      expect([asked, answer]).toEqual([asked, told(findingsOf(inspect(alone, asked)))]);
    }
    // Else nobody is told apart, or nobody is told by another.
    expect(walks).toBeGreaterThan(walksOf(network));
    expect(walks).toBeLessThan(flows.length / 2);
  });
});
