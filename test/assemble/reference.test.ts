import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { addressesOf, deviceOf, routesOf, shown, stackOf } from "@hairpin/testing/case.ts";
import { haveReference, referenceFiles, referencePath } from "@hairpin/testing/reference.ts";
import { expectSound } from "@hairpin/testing/sound.ts";
import { describe, expect, it } from "vitest";
import { type Assembly, applyPatch, assemble } from "../../packages/core/src/assemble/index.ts";
import { formatAddress } from "../../packages/core/src/net/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";

function from(root: string, files: readonly string[]): Assembly {
  const inputs = files.map((f) => ({ path: relative(root, f), text: readFileSync(f, "utf8") }));
  return assemble(readCase(inputs));
}
const seed = (number: string): Assembly => {
  const file = referenceFiles("seeds").find((f) => f.includes(`/${number}_`));
  if (file === undefined) throw new Error(`no seed ${number}`);
  return from(referencePath("seeds"), [file]);
};
const incidents = haveReference
  ? [...new Set(referenceFiles("incidents").flatMap((f) => f.match(/incidents\/([^/]+)\/dumps\//)?.[1] ?? []))]
  : [];
const incident = (name: string): Assembly =>
  from(referencePath("incidents", name, "dumps"), referenceFiles("incidents", name, "dumps"));

describe.skipIf(!haveReference)("the seed on the CNI plugin", () => {
  const { world } = haveReference ? seed("002") : { world: undefined! };

  it("is a node with its rules, both tables, cards and Service address, and the pod it joins by index", () => {
    const node = stackOf(world);
    expect(world.stacks.map((s) => s.kind).sort()).toEqual(["node", "pod"]);
    expect(node.routingRules).toMatchObject({ extent: "whole", items: { length: 23 } });
    expect(node.routeTables.filter((t) => t.family === 4).map((t) => [t.id, t.extent])).toEqual([
      [254, "whole"],
      [1003, "whole"],
      [255, "whole"],
      [253, "whole"],
    ]);
    expect(addressesOf(node, "eth0")).toEqual(["10.12.97.49/24"]);
    expect(addressesOf(node, "eth1")).toEqual([]);
    expect(deviceOf(node, "kube-ipvs0")).toMatchObject({ kind: "dummy", up: false });
    expect(addressesOf(node, "kube-ipvs0")).toEqual(["10.12.115.101/32"]);
    expect(routesOf(node, 255).map(shown)).toContain(
      "local 10.12.115.101/32 dev kube-ipvs0 proto kernel scope host src 10.12.115.101",
    );
    const veth = world.links.find((l) => l.type === "veth")!;
    expect(veth.ends.map((e) => e.device).sort()).toEqual(["eth0", "fsk7c22dbae71f7"]);
    expect(world.links.find((l) => l.type === "fabric")!.ends.map((e) => e.device)).toEqual(["eth0", "eth1"]);
  });

  it("knows that the asked address is a load balancer's and so no cluster IP", () => {
    const node = stackOf(world);
    const cluster = node.ipsets.items.find((s) => s.name === "KUBE-CLUSTER-IP")!;
    const asked = cluster.entries.filter(
      (e) => e.parts[0]?.kind === "address" && formatAddress(e.parts[0].from) === "10.12.115.101",
    );
    expect(asked.length).toBe(2);
    expect(asked.every((e) => e.nomatch)).toBe(true);
    expect(node.ipvs).toMatchObject({ extent: "partial", services: { length: 2 } });
  });

  it("does not take the commands at its end for the state", () => {
    expect(stackOf(world).routeTables.some((t) => t.id === 100)).toBe(false);
  });
});

describe.skipIf(!haveReference)("the other seeds", () => {
  it("logs where the LOG rules of the flannel seed stand, and leaves its flushes out", () => {
    const { world } = seed("001");
    const node = stackOf(world, "slave1");
    const count = (table: string) =>
      node.netfilter.tables.find((t) => t.name === table)!.chains.reduce((n, c) => n + c.rules.length, 0);
    expect(["raw", "mangle", "nat", "filter"].map(count)).toEqual([2, 4, 6, 2]);
    expect(deviceOf(node, "flannel0").kind).toBe("tun");
  });

  it("keeps the two nodes of the loop seed apart, each with its sets", () => {
    const { world } = seed("004");
    expect(world.stacks.map((s) => s.name)).toEqual(
      expect.arrayContaining(["tx-ms-k8s-node-32160", "VM-96-12-centos"]),
    );
    const node = stackOf(world, "VM-96-12-centos");
    const sets = node.ipsets.items.filter((s) => s.origin.kind === "read").map((s) => [s.name, s.entries.length]);
    expect(sets).toEqual([
      ["KUBE-LOAD-BALANCER", 4],
      ["KUBE-LOAD-BALANCER-LOCAL", 2],
    ]);
    const services = node.netfilter.tables[0]!.chains.find((c) => c.name === "KUBE-SERVICES")!;
    expect(services.rules).toHaveLength(5);
  });

  it("gives the unnamed rules of the VM seed to the nodes that its prompts name", () => {
    const { world } = seed("000");
    expect(world.stacks.map((s) => s.name)).toEqual(["k8s-1", "k8s-2"]);
    expect(world.stacks.every((s) => s.netfilter.tables.some((t) => t.name === "nat"))).toBe(true);
  });

  it.each(["000", "001", "002", "003", "004"])("makes a sound World of seed %s", (number) => {
    expectSound(seed(number).world);
  });
});

describe.skipIf(!haveReference)("published incidents", () => {
  it.each(incidents)("%s becomes a sound World", (name) => {
    const { world } = incident(name);
    expectSound(world);
    expect(world.stacks.length).toBeGreaterThan(0);
    const patched = applyPatch(world, [`${world.stacks[0]!.name}: sysctl -w net.ipv4.conf.all.rp_filter=2`]);
    expect(patched.problems).toEqual([]);
    expectSound(patched.world);
  });

  it("takes the whole table where the dumps of one contradict each other", () => {
    const name = incidents.find((n) => n.startsWith("20-"))!;
    const { world } = incident(name);
    const raw = stackOf(world).netfilter.tables.find((t) => t.name === "raw")!;
    expect(raw.chains.flatMap((c) => c.rules).map((r) => r.target.kind)).toEqual(["accept", "drop"]);
  });
});
