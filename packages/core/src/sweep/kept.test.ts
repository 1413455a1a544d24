import { type Fault, type SweptCluster, sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { readCase } from "../parse/index.ts";
import { compareSweeps } from "./changes.ts";
import { changedStacks } from "./classes/touched.ts";
import { askedOf, type Flow } from "./plan.ts";
import { sweep } from "./sweep.ts";

const SMALL = { nodes: 3, pods: 1, services: 2, nodePorts: 1 } as const;

const filesOf = (faults: SweptCluster["faults"] = []): Record<string, string> => sweptCluster({ ...SMALL, faults });

function askableOf(files: Readonly<Record<string, string>>): Askable {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
}

function ended<R>(walking: Generator<unknown, R>): R {
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

/** How each flow fares in a sweep of its own. */
function fates(askable: Askable): ReadonlyMap<string, string> {
  const members: [string, string][] = [];
  const member = (flow: Flow, id: string): void => void members.push([JSON.stringify(askedOf(flow)), id]);
  const { classes } = ended(sweep(askable, { member }));
  const fate = new Map(classes.map((c) => [c.id, `${c.verdict} ${c.clientSees} ${c.causes[0]?.code}`]));
  return new Map(members.map(([flow, id]) => [flow, fate.get(id)!]));
}

const healthy = askableOf(filesOf());
const before = fates(healthy);

describe("a change of one node's dump", () => {
  it.each<Fault>(["service-not-programmed", "ip-forward-off", "kubelet-down"])(
    "%s: only flows that come by there are walked anew, and they fare as in a sweep of all",
    (kind) => {
      const other = askableOf(filesOf([{ kind, at: 1 }]));
      expect([...changedStacks(healthy.world, other.world)!]).toEqual(["node-1"]);
      const after = fates(other);
      const otherwise = [...after].filter(([flow, fate]) => before.get(flow) !== fate).length;
      const { changed, flows, walks } = ended(compareSweeps({ askable: healthy }, { askable: other }, {}));
      expect([flows, changed.reduce((n, c) => n + c.flows, 0)]).toEqual([before.size, otherwise]);
      expect(otherwise).toBeGreaterThan(0);
      // Swept alone it has this many classes, and each is walked.
      expect(walks.after).toBeLessThan(ended(sweep(other)).walks);
    },
    120_000,
  );

  it("nothing is walked anew where nothing changed", () => {
    const same = askableOf(filesOf());
    expect(changedStacks(healthy.world, same.world)?.size).toBe(0);
    const { changed, walks } = ended(compareSweeps({ askable: healthy }, { askable: same }, {}));
    expect([changed, walks.after, walks.before > 0]).toEqual([[], 0, true]);
  }, 120_000);

  it.each<readonly [string, string, string]>([
    ["an address that somebody else may be asked for by", "nodes/node-1/ip-addr.txt", "10.128.1.1/24=>10.128.1.2/24"],
    [
      "who answers ARP",
      "nodes/node-1/sysctl.txt",
      "net.ipv4.ip_forward = 1=>net.ipv4.ip_forward = 1\nnet.ipv4.conf.eth0.proxy_arp = 1",
    ],
    [
      "who is behind a veth, as another node's routes say",
      "nodes/node-1/ip-route.txt",
      "10.128.1.0/24 dev cni0=>10.128.2.10 dev veth0 scope link\n10.128.1.0/24 dev cni0",
    ],
    ["what objects say", "objects.yaml", "phase: Running=>phase: Failed"],
  ])("%s is found without coming by: all is walked", (_, path, change) => {
    const files = filesOf();
    const [from, to] = change.split("=>") as [string, string];
    const text = files[path]!.replace(from, to);
    expect(text).not.toBe(files[path]);
    expect(changedStacks(healthy.world, askableOf({ ...files, [path]: text }).world)).toBeUndefined();
  });
});
