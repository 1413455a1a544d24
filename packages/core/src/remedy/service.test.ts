import { readFileSync } from "node:fs";
import { applyPatch } from "@hairpin/core/assemble/index.ts";
import { type Programmed, programme } from "@hairpin/core/kubernetes/index.ts";
import { refusalText, say } from "@hairpin/core/messages/index.ts";
import type { IptablesTable, KubernetesService, Stack } from "@hairpin/core/model/index.ts";
import { formatAddress } from "@hairpin/core/net/index.ts";
import { printSave as printSets } from "@hairpin/core/parse/ipset/index.ts";
import { printTables } from "@hairpin/core/parse/iptables/rule/print.ts";
import { printSave as printIpvs } from "@hairpin/core/parse/ipvs/index.ts";
import { assembled, stackOf } from "@hairpin/testing/case.ts";
import { CONFIG, SHOP, shopInput, WORKER } from "@hairpin/testing/iptables/shop.ts";
import { describe, expect, test } from "vitest";

const objects = readFileSync(new URL("../../../testing/src/iptables/shop.yaml", import.meta.url), "utf8");

const made = (mode: "iptables" | "ipvs", version: string, services: readonly KubernetesService[]): Programmed => {
  const result = programme({ ...shopInput(version, { mode }), services });
  const four = result.kind === "programmed" ? result.families.find((f) => f.family === 4) : undefined;
  if (four === undefined) throw new Error("not modelled");
  return four;
};

/** The worker as its dumps would show it, with what kube-proxy wrote for all Services of the shop. */
function worldOf(mode: "iptables" | "ipvs", version: string) {
  const wrote = made(mode, version, SHOP.services);
  const dummy = wrote.addresses.map((a) => `    inet ${formatAddress(a)}/32 scope global kube-ipvs0`).join("\n");
  const minor = `v${version}`;
  return assembled({
    "nodes/worker-1/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 192.0.2.11/24 brd 192.0.2.255 scope global eth0
3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP
    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet 172.16.0.11/24 brd 172.16.0.255 scope global eth1
${mode === "ipvs" ? `4: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN\n    link/ether 52:54:00:00:00:04 brd ff:ff:ff:ff:ff:ff\n${dummy}\n` : ""}`,
    "nodes/worker-1/iptables-save.txt": printTables(wrote.tables),
    ...(mode === "ipvs" && {
      "nodes/worker-1/ipset-save.txt": printSets(wrote.sets),
      "nodes/worker-1/ipvsadm-Sn.txt": printIpvs(wrote.virtualServers),
    }),
    "objects.yaml": `${objects}\n---\napiVersion: v1\nkind: Node\nmetadata:\n  name: worker-1\n  labels: { topology.kubernetes.io/zone: west }\nspec: { podCIDRs: [10.244.1.0/24] }\nstatus:\n  addresses: [{ type: InternalIP, address: 192.0.2.11 }]\n  nodeInfo: { kubeProxyVersion: ${minor}, kubeletVersion: ${minor} }\n---\napiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: ${mode}\nclusterCIDR: 10.244.0.0/16\n`,
  }).world;
}

const rulesOf = (tables: readonly IptablesTable[]): readonly string[] =>
  printTables(
    tables
      .filter((t) => t.family === 4)
      .map((t) => ({ ...t, chains: t.chains.map((c) => ({ ...c, counters: { packets: 0, bytes: 0 } })) })),
    { counters: false },
  )
    .split("\n")
    .filter((line) => /^-A KUBE-|^:KUBE-(?:SVC|SEP|EXT|FW|XLB|SVL)/.test(line))
    .map((line) => line.replace(/ \[0:0\]$/, ""))
    .sort();

const stateOf = (stack: Stack) => ({
  rules: rulesOf(stack.netfilter.tables),
  sets: stack.ipsets.items
    .flatMap((s) => printSets([s]).split("\n"))
    .filter((l) => l.startsWith("add "))
    .sort(),
  servers: printIpvs(stack.ipvs.services).trim().split("\n").sort(),
  addresses: (stack.devices.items.find((d) => d.name === "kube-ipvs0")?.addresses ?? [])
    .map((a) => formatAddress(a.prefix.address))
    .sort(),
});

const wanted = (p: Programmed) => ({
  rules: rulesOf(p.tables),
  sets: p.sets
    .flatMap((s) => printSets([s]).split("\n"))
    .filter((l) => l.startsWith("add "))
    .sort(),
  servers: printIpvs(p.virtualServers).trim().split("\n").sort(),
  addresses: p.addresses.map((a) => formatAddress(a)).sort(),
});

const PATCHES: readonly (readonly [string, Partial<KubernetesService>])[] = [
  ["shop/pay spec.externalTrafficPolicy=Cluster", { externalTrafficPolicy: "Cluster" }],
  ["shop/metrics spec.externalTrafficPolicy=Cluster", { externalTrafficPolicy: "Cluster" }],
  ["shop/metrics spec.internalTrafficPolicy=Cluster", { internalTrafficPolicy: "Cluster" }],
  [
    "shop/pay spec.loadBalancerSourceRanges=203.0.113.0/24,198.51.100.7/32",
    { loadBalancerSourceRanges: ["203.0.113.0/24", "198.51.100.7/32"] },
  ],
  ["shop/old spec.externalTrafficPolicy=Local", { externalTrafficPolicy: "Local" }],
];

/** The one rule: a node whose Service changed has what kube-proxy would have written had the Service been so all along. */
describe.each([
  ["iptables", "1.20.15"],
  ["iptables", "1.23.17"],
  ["iptables", "1.27.3"],
  ["iptables", "1.34.0"],
  ["ipvs", "1.22.17"],
  ["ipvs", "1.28.0"],
  ["ipvs", "1.34.0"],
] as const)("kube-proxy %s %s", (mode, version) => {
  const world = worldOf(mode, version);

  test("shows what was written, to begin with", () => {
    expect(stateOf(stackOf(world, "worker-1"))).toEqual(wanted(made(mode, version, SHOP.services)));
  });

  test.each(PATCHES)("svc/%s", (patch, change) => {
    const name = patch.split(" ")[0]!;
    const after = applyPatch(world, [`svc/${patch}`]);
    expect(after.problems).toEqual([]);
    const services = SHOP.services.map((s) => (`${s.namespace}/${s.name}` === name ? { ...s, ...change } : s));
    expect(stateOf(stackOf(after.world, "worker-1"))).toEqual(wanted(made(mode, version, services)));
  });
});

describe("a field of a Service", () => {
  const world = worldOf("ipvs", "1.28.0");
  const why = (command: string) => applyPatch(world, [command]).problems.map((p) => say(refusalText(p.refusal)));

  test("as kubectl sets it", () => {
    const patch = `kubectl -n shop patch service pay -p '{"spec":{"externalTrafficPolicy":"Cluster"}}'`;
    const typed = applyPatch(world, ["svc/shop/pay spec.externalTrafficPolicy=Cluster"]);
    expect(applyPatch(world, [patch]).problems).toEqual([]);
    expect(stateOf(stackOf(applyPatch(world, [patch]).world, "worker-1"))).toEqual(
      stateOf(stackOf(typed.world, "worker-1")),
    );
  });

  test("that is not understood is refused", () => {
    expect(why("svc/shop/nobody spec.externalTrafficPolicy=Cluster")[0]).toContain("there is no Service shop/nobody");
    expect(why("svc/shop/pay spec.externalTrafficPolicy=Sometimes")[0]).toContain("not a value of");
    expect(why("svc/shop/pay spec.constructor=x")[0]).toContain("is not a field whose effect is modelled");
    expect(why("svc/shop/pay")[0]).toContain("spec.FIELD=VALUE");
    expect(why("kubectl -n shop delete service pay")[0]).toContain("only patch service");
    expect(why("kubectl -n shop patch service pay -p '{'")[0]).toContain("not JSON");
  });
});

test("what the helpers of this test stand for", () => {
  expect(WORKER.name).toBe("worker-1");
  expect(CONFIG.detectLocal.mode).toBe("ClusterCIDR");
});
