import { readObjects, SHOP, shopInput } from "@hairpin/testing/iptables/shop.ts";
import { describe, expect, test } from "vitest";
import { say } from "../../messages/index.ts";
import { assumed, linesOf, type Origin } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { printRuleSpec } from "../../parse/iptables/index.ts";
import {
  gapsOf,
  type Programmed,
  type ProxyConfig,
  programme,
  programmeIptables,
  proxyConfigOf,
  viewOf,
} from "../index.ts";

function made(version: string, config: Partial<ProxyConfig> = {}, family: Family = 4): Programmed {
  const result = programme(shopInput(version, config));
  if (result.kind !== "programmed") throw new Error(result.mode);
  return result.families.find((f) => f.family === family)!;
}

const rulesOf = ({ tables, family }: Programmed, table: string, chain: string): readonly string[] =>
  tables
    .find((t) => t.name === table)!
    .chains.filter((c) => c.name === chain)
    .flatMap((c) => c.rules.map((r) => printRuleSpec(r, family)));

const chainsOf = ({ tables }: Programmed): readonly string[] => tables.flatMap((t) => t.chains.map((c) => c.name));

const WEB = "KUBE-SVC-67NZLRHBNDSAWJRO";
const PAY_EXT = "KUBE-EXT-MUJ7T5P6IXY3AYQM";
const toWeb = '-d 10.96.10.1/32 -p tcp -m comment --comment "shop/web:http cluster IP" -m tcp --dport 80';

describe("what counts as pod traffic", () => {
  const offCluster = (config: Partial<ProxyConfig>, family: Family = 4) =>
    rulesOf(made("1.31.0", config, family), "nat", WEB)[0];
  const podTraffic = (config: Partial<ProxyConfig>) => rulesOf(made("1.31.0", config), "nat", PAY_EXT)[0];

  test("a cluster CIDR: the first of each family", () => {
    const detectLocal = { mode: "ClusterCIDR", clusterCidrs: ["fd00:244::/48", "10.0.0.0/9", "10.128.0.0/9"] } as const;
    expect(offCluster({ detectLocal })).toBe(`! -s 10.0.0.0/9 ${toWeb} -j KUBE-MARK-MASQ`);
    expect(offCluster({ detectLocal }, 6)).toMatch(/^! -s fd00:244::\/48 -d fd00:96::a:1\/128 /);
  });

  test("the node's own pod CIDR", () => {
    expect(offCluster({ detectLocal: { mode: "NodeCIDR" } })).toMatch(/^! -s 10\.244\.1\.0\/24 /);
  });

  test("a bridge, or interfaces by the start of their name", () => {
    const bridge: ProxyConfig["detectLocal"] = { mode: "BridgeInterface", bridge: "cni0" };
    expect(offCluster({ detectLocal: bridge })).toBe(
      `-d 10.96.10.1/32 ! -i cni0 -p tcp -m comment --comment "shop/web:http cluster IP" -m tcp --dport 80 -j KUBE-MARK-MASQ`,
    );
    expect(podTraffic({ detectLocal: bridge })).toMatch(/^-i cni0 -m comment --comment "pod traffic for shop\/pay /);
    const prefix: ProxyConfig["detectLocal"] = { mode: "InterfaceNamePrefix", prefix: "cali" };
    expect(offCluster({ detectLocal: prefix })).toMatch(/ ! -i cali\+ /);
  });

  test("nothing: nobody is masqueraded as an outsider, and pods are not short-circuited", () => {
    expect(offCluster({ detectLocal: { mode: "none" } })).not.toContain("KUBE-MARK-MASQ");
    expect(podTraffic({ detectLocal: { mode: "none" } })).toContain("masquerade LOCAL traffic");
  });

  test("masqueradeAll asks nothing about the source", () => {
    expect(offCluster({ masqueradeAll: true })).toBe(`${toWeb} -j KUBE-MARK-MASQ`);
  });
});

describe("the mark", () => {
  test("is that of masqueradeBit, everywhere", () => {
    const one = made("1.31.0", { masqueradeMark: 1 << 20 });
    expect(rulesOf(one, "nat", "KUBE-MARK-MASQ")).toEqual(["-j MARK --set-xmark 0x100000/0x100000"]);
    expect(rulesOf(one, "nat", "KUBE-POSTROUTING").slice(0, 2)).toEqual([
      "-m mark ! --mark 0x100000/0x100000 -j RETURN",
      "-j MARK --set-xmark 0x100000/0x0",
    ]);
    expect(rulesOf(one, "filter", "KUBE-FORWARD").join()).toContain("--mark 0x100000/0x100000 -j ACCEPT");
  });

  test("was not cleared before 1.18.6", () => {
    const of = (version: string) => rulesOf(made(version), "nat", "KUBE-POSTROUTING");
    expect(of("1.18.5")).toEqual([
      '-m comment --comment "kubernetes service traffic requiring SNAT" -m mark --mark 0x4000/0x4000 -j MASQUERADE --random-fully',
    ]);
    expect(of("1.18.6")).toHaveLength(3);
  });

  test("--random-fully is as the iptables binary has it, from 1.37 always", () => {
    const last = (version: string) => rulesOf(made(version, { randomFully: false }), "nat", "KUBE-POSTROUTING").at(-1);
    expect(last("1.36.0")).toMatch(/MASQUERADE$/);
    expect(last("1.37.0")).toMatch(/MASQUERADE --random-fully$/);
  });
});

describe("NodePorts", () => {
  const tail = (version: string, config: Partial<ProxyConfig> = {}, family: Family = 4) =>
    rulesOf(made(version, config, family), "nat", "KUBE-SERVICES")
      .filter((r) => r.endsWith("-j KUBE-NODEPORTS"))
      .map((r) => r.replace(/-m comment --comment "[^"]*" /, ""));
  const localnet = (version: string, config: Partial<ProxyConfig> = {}) =>
    made(version, config).sysctls.map((s) => `${s.key}=${s.value}`);
  const on = ["net.ipv4.conf.all.route_localnet=1"];

  test("are taken on every local address, or on those of nodePortAddresses", () => {
    expect(tail("1.31.0")).toEqual(["-m addrtype --dst-type LOCAL -j KUBE-NODEPORTS"]);
    expect(tail("1.31.0", { nodePortAddresses: ["192.0.2.0/24", "172.16.0.0/12"] })).toEqual([
      "-d 192.0.2.11/32 -j KUBE-NODEPORTS",
      "-d 172.16.0.11/32 -j KUBE-NODEPORTS",
    ]);
    expect(tail("1.31.0", { nodePortAddresses: ["primary"] })).toEqual(["-d 192.0.2.11/32 -j KUBE-NODEPORTS"]);
    expect(tail("1.31.0", { nodePortAddresses: ["2001:db8::/64"] }, 6)).toEqual([
      "-d 2001:db8::11/128 -j KUBE-NODEPORTS",
    ]);
  });

  test("on localhost can be switched off from 1.26", () => {
    const off = { localhostNodePorts: false };
    expect(tail("1.26.0", off)).toEqual(["! -d 127.0.0.0/8 -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS"]);
    expect(localnet("1.26.0", off)).toEqual([]);
    expect(tail("1.25.0", off)).toEqual(["-m addrtype --dst-type LOCAL -j KUBE-NODEPORTS"]);
    expect(localnet("1.25.0", off)).toEqual(on);
    expect(tail("1.26.0", {}, 6)).toEqual(["! -d ::1/128 -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS"]);
  });

  test("on a node without an address for them", () => {
    const nowhere = { nodePortAddresses: ["203.0.113.0/24"] };
    const ports = (version: string) => rulesOf(made(version, nowhere), "nat", "KUBE-NODEPORTS").length;
    const endpoints = (version: string) =>
      rulesOf(made(version, nowhere), "nat", WEB).filter((r) => r.includes("-j KUBE-SEP-")).length;
    expect(
      ["1.18.9", "1.19.0", "1.20.0", "1.21.0", "1.26.0", "1.27.0"].map((v) => [ports(v) > 0, endpoints(v)]),
    ).toEqual([
      [true, 2],
      // Not even the cluster IP of a Service with a NodePort worked.
      [false, 0],
      [false, 0],
      [false, 2],
      [false, 2],
      [true, 2],
    ]);
    expect(tail("1.31.0", nowhere)).toEqual([]);
  });

  test("route_localnet is left alone from 1.24 where no loopback address takes them", () => {
    const elsewhere = { nodePortAddresses: ["192.0.2.0/24"] };
    expect(localnet("1.23.0", elsewhere)).toEqual(on);
    expect(localnet("1.24.0", elsewhere)).toEqual([]);
    expect(localnet("1.24.0", { nodePortAddresses: ["127.0.0.0/8"] })).toEqual(on);
    expect(made("1.30.0", {}, 6).sysctls).toEqual([]);
  });
});

describe("counters and conntrack", () => {
  const forward = (version: string, config: Partial<ProxyConfig>) =>
    rulesOf(made(version, config), "filter", "KUBE-FORWARD")[0];

  test("INVALID packets pass from 1.29 where conntrack is liberal", () => {
    const liberal = { conntrackTcpBeLiberal: true };
    expect(forward("1.28.0", liberal)).toBe("-m conntrack --ctstate INVALID -j DROP");
    expect(forward("1.29.0", liberal)).not.toContain("INVALID");
  });

  test("nfacct counts from 1.31 where the counters could be made", () => {
    const nfacctCounters = ["ct_state_invalid_dropped_pkts", "localhost_nps_accepted_pkts"];
    expect(forward("1.30.0", { nfacctCounters })).not.toContain("nfacct");
    expect(forward("1.31.0", { nfacctCounters })).toBe(
      "-m conntrack --ctstate INVALID -m nfacct --nfacct-name  ct_state_invalid_dropped_pkts -j DROP",
    );
    const nodePorts = rulesOf(made("1.31.0", { nfacctCounters }), "nat", "KUBE-NODEPORTS");
    expect(nodePorts.filter((r) => r.startsWith("-d 127.0.0.0/8 "))).toHaveLength(4);
    const off = made("1.31.0", { nfacctCounters, localhostNodePorts: false });
    expect(rulesOf(off, "nat", "KUBE-NODEPORTS").join()).not.toContain("nfacct");
  });
});

describe("gates and releases", () => {
  const all = (version: string, config: Partial<ProxyConfig> = {}) =>
    made(version, config).tables.flatMap((t) => t.chains.flatMap((c) => c.rules.map((r) => printRuleSpec(r, 4))));
  const about = (version: string, text: string, config: Partial<ProxyConfig> = {}) =>
    all(version, config).filter((r) => r.includes(text));

  test("a load balancer's address in Proxy mode is left to it where the field is known", () => {
    expect(about("1.28.0", "198.51.100.21")).not.toEqual([]);
    expect(about("1.29.0", "198.51.100.21")).toEqual([]);
    expect(about("1.30.0", "198.51.100.21", { featureGates: { LoadBalancerIPMode: false } })).not.toEqual([]);
    expect(about("1.33.0", "198.51.100.21", { featureGates: { LoadBalancerIPMode: false } })).toEqual([]);
  });

  test("external addresses can be forbidden from 1.36", () => {
    const featureGates = { AllowServiceExternalIPs: false };
    expect(about("1.35.0", "198.51.100.7", { featureGates })).not.toEqual([]);
    expect(about("1.36.0", "198.51.100.7", { featureGates })).toEqual([]);
  });

  test("what ends its life stands in from 1.26, or where the gate is on", () => {
    expect(about("1.25.0", "10.244.1.40")).toEqual([]);
    expect(about("1.25.0", "shop/old:tcp has no endpoints")).not.toEqual([]);
    expect(about("1.26.0", "10.244.1.40")).not.toEqual([]);
    expect(about("1.24.0", "10.244.1.40", { featureGates: { ProxyTerminatingEndpoints: true } })).not.toEqual([]);
    // Up to 1.23 only for the Local policy.
    expect(about("1.23.0", "10.244.1.40", { featureGates: { ProxyTerminatingEndpoints: true } })).toEqual([]);
  });

  test("kubelet stops making its chains with IPTablesOwnershipCleanup", () => {
    expect(chainsOf(made("1.26.0"))).toContain("KUBE-MARK-DROP");
    expect(chainsOf(made("1.27.0"))).not.toContain("KUBE-MARK-DROP");
    expect(chainsOf(made("1.25.0", { featureGates: { IPTablesOwnershipCleanup: true } }))).not.toContain(
      "KUBE-MARK-DROP",
    );
    expect(chainsOf(made("1.23.0"))).not.toContain("KUBE-IPTABLES-HINT");
    expect(chainsOf(made("1.24.0"))).toContain("KUBE-IPTABLES-HINT");
  });
});

describe("what must not be claimed", () => {
  test("nothing of Services that are not kube-proxy's", () => {
    const texts = JSON.stringify(made("1.31.0").tables);
    for (const name of ["shop/db", "shop/mail", "shop/mesh", "shop/pending", "10.244.2.8"])
      expect(texts).not.toContain(name);
  });

  test.each(["userspace", "kernelspace", "unknown"] as const)("nothing of the mode %s", (mode) => {
    expect(programme(shopInput("1.31.0", { mode }))).toEqual({ kind: "not-modelled", mode });
  });

  test("an unknown mode is not taken for the default", () => {
    const [config] = readObjects(
      "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: ebpf\n",
    ).kubeProxyConfigs;
    expect(proxyConfigOf(config).mode).toBe("unknown");
    expect(proxyConfigOf({ ...config!, mode: "" }).mode).toBe("iptables");
  });
});

describe("what was not shown is said", () => {
  const saying = (input: ReturnType<typeof shopInput>) =>
    gapsOf({ ...input, config: { ...input.config, origin: assumed("test") } }).map((g) => say(g.text));

  test("a configuration that nobody showed", () => {
    expect(gapsOf(shopInput("1.31.0")).map((g) => say(g.text))[0]).toContain("no KubeProxyConfiguration in the dumps");
  });

  test("the shop lacks the slices of one Service", () => {
    expect(saying(shopInput("1.31.0"))).toEqual([
      "no EndpointSlice or Endpoints of shop/signal in the dumps: it is treated as having none, so kube-proxy rejects its packets",
    ]);
  });

  test("rows of kubectl get leave policies and nodes open", () => {
    const { services, endpoints } = readObjects(
      "NAMESPACE   NAME   TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE\nshop        web    ClusterIP   10.96.0.9    <none>        80/TCP    3d\n",
    );
    expect(saying({ ...shopInput("1.31.0"), services, endpoints }).join("\n")).toContain("shop/web comes from a row");
  });

  test("gates that switch many features", () => {
    expect(saying(shopInput("1.31.0", { featureGates: { AllAlpha: true } }))[0]).toContain("AllAlpha switches many");
  });
});

describe("rows of kubectl get", () => {
  const PODS = `NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE   IP           NODE       NOMINATED NODE   READINESS GATES
shop        web-a   1/1     Running   0          3d    10.244.1.5   worker-1   <none>           <none>
shop        web-b   1/1     Running   0          3d    10.244.2.7   worker-2   <none>           <none>
`;
  const ENDPOINTS = `NAMESPACE   NAME   ENDPOINTS                           AGE
shop        web    10.244.1.5:8080,10.244.2.7:8080     3d
`;
  const dnat = (input: ReturnType<typeof shopInput>, chain: RegExp) => {
    const view = viewOf(input, 4);
    const [nat] = programmeIptables(view).tables.filter((t) => t.name === "nat");
    const jumps = nat!.chains.filter((c) => chain.test(c.name)).flatMap((c) => c.rules.map((r) => r.target));
    const names = jumps.flatMap((t) => (t.kind === "jump" ? [t.chain] : []));
    return nat!.chains
      .filter((c) => names.includes(c.name) && c.name.startsWith("KUBE-SEP-"))
      .map((c) => /10\.\S+:\d+/.exec(printRuleSpec(c.rules[1]!, 4))![0])
      .sort();
  };
  const web = SHOP.services.filter((s) => s.name === "web");
  const endpoints = readObjects(ENDPOINTS).endpoints;

  test("endpoints without names of ports serve the Service's port", () => {
    const input = { ...shopInput("1.31.0"), services: web, endpoints };
    expect(dnat(input, /^KUBE-SVC-/)).toEqual(["10.244.1.5:8080", "10.244.2.7:8080"]);
  });

  test("where endpoints are, Pods tell", () => {
    const services = web.map((s) => ({ ...s, externalTrafficPolicy: "Local" as const }));
    const input = { ...shopInput("1.31.0"), services, endpoints };
    expect(dnat(input, /^KUBE-SVL-/)).toEqual([]);
    expect(dnat({ ...input, pods: readObjects(PODS).pods }, /^KUBE-SVL-/)).toEqual(["10.244.1.5:8080"]);
  });

  test("ports of several are told apart by their number", () => {
    const services = SHOP.services.map((s) =>
      s.name === "web" ? { ...s, ports: [...s.ports, { name: "admin", protocol: 6, port: 81, targetPort: 8081 }] } : s,
    );
    const input = { ...shopInput("1.31.0"), services: services.filter((s) => s.name === "web"), endpoints };
    expect(dnat(input, /^KUBE-SVC-67NZLRHBNDSAWJRO$/)).toEqual(["10.244.1.5:8080", "10.244.2.7:8080"]);
    expect(dnat(input, /^KUBE-SVC-(?!67NZ)/)).toEqual([]);
  });
});

describe("rules lead to the lines they come from", () => {
  const origins = (chain: string): readonly Origin[] =>
    made("1.31.0")
      .tables.find((t) => t.name === "nat")!
      .chains.find((c) => c.name === chain)!
      .rules.map((r) => r.origin);
  const lines = (chain: string) => origins(chain).map((o) => linesOf(o).map((l) => l.line));
  const web = SHOP.services.find((s) => s.name === "web")!;
  const slice = SHOP.endpoints.find((e) => e.name === "web-4")!;

  test("a Service's address, an endpoint, a policy", () => {
    const endpoint = slice.endpoints[0]!.origin;
    const clusterIp = web.fieldOrigins!.clusterIP!;
    expect(lines(WEB).slice(0, 2)).toEqual([clusterIp, endpoint].map((o) => linesOf(o).map((l) => l.line)));
    const pay = SHOP.services.find((s) => s.name === "pay")!;
    const policy = linesOf(pay.fieldOrigins!.externalTrafficPolicy!)[0]!.line;
    expect(lines(PAY_EXT)).toEqual([[policy], [policy], [policy], [policy]]);
  });

  test("nothing is without an origin", () => {
    for (const table of made("1.20.0").tables)
      for (const chain of table.chains) for (const rule of chain.rules) expect(rule.origin.kind).toBe("derived");
  });
});
