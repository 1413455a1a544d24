import { describe, expect, test } from "vitest";
import { loadedCase } from "../../packages/case/src/index.ts";
import { check } from "../../packages/core/src/check/index.ts";
import { Askable, diagnose, type LoadedCase } from "../../packages/core/src/diagnose/index.ts";
import { BPFTOOL_BESIDE, BPFTOOL_INSTEAD, ciliumWorld, status } from "./cilium-world.ts";

const ask = (loaded: LoadedCase, from: string, to: string, proto = "tcp") =>
  diagnose(new Askable(loaded, []), { from, to, proto });
const verdict = (loaded: LoadedCase, from: string, to: string, proto?: string): string =>
  ask(loaded, from, to, proto).judgement.verdict;
const datapaths = ({ reading, inputs }: LoadedCase) => check(reading, inputs).otherDatapaths;

const A = "node/ip-10-40-0-10";
const VIP = "10.50.0.9:443";

describe("Cilium with kube-proxy beside it", () => {
  const beside = ciliumWorld({
    cmd: { "bpftool-net-show": BPFTOOL_BESIDE, "cilium-dbg-status---verbose": status("False") },
  });

  test("what goes between nodes is answered: their cards have no program", () => {
    expect(verdict(beside, A, "10.40.0.20:9100")).toBe("reachable");
    expect(verdict(beside, A, "10.40.0.20:9999")).toBe("unreachable");
    expect(verdict(beside, "198.51.100.7", "10.40.0.20:9999")).toBe("unreachable");
  });

  test("what a pod sends or answers is not", () => {
    for (const [from, to] of [
      ["pod/store/cart", VIP],
      ["pod/store/cart", "10.40.0.20:9100"],
      [A, VIP],
      [A, "10.60.2.7:8443"],
      ["198.51.100.7", "10.60.2.7:8443"],
    ] as const)
      expect([from, to, verdict(beside, from, to)]).toEqual([from, to, "undetermined"]);
  });

  test("check says which program holds which hook, and what stays open", () => {
    expect(datapaths(beside)[0]).toMatchObject({
      node: "ip-10-40-0-10",
      owner: "Cilium",
      services: "pods",
      sockets: "none",
      hooks: [
        { device: "cilium_host", hook: "tc ingress", program: "cil_to_host" },
        { device: "lxc0a1b2c3d4e5f", hook: "tc ingress", program: "cil_from_container" },
      ],
      openIn: ["cilium_host", "lxc0a1b2c3d4e5f"],
      openOut: [],
    });
  });

  test("an open answer names the tools of the datapath", () => {
    const { causes } = ask(beside, "pod/store/cart", VIP);
    const cause = causes.find((c) => c.code === "DATAPATH_NOT_MODELLED");
    expect(cause?.check?.command).toMatch(/^cilium-dbg service list/);
  });

  test("without any list, kube-proxy's own rules tell as much", () => {
    const bare = ciliumWorld();
    expect(verdict(bare, A, "10.40.0.20:9100")).toBe("reachable");
    expect(verdict(bare, A, VIP)).toBe("undetermined");
    expect(datapaths(bare)[0]).toMatchObject({ services: "pods", openIn: expect.arrayContaining(["lxc0a1b2c3d4e5f"]) });
  });
});

describe("Cilium in place of kube-proxy", () => {
  const socketLb =
    "KubeProxyReplacement Details:\n  Status:                 True\n  Socket LB:              Enabled\n  Socket LB Coverage:     Full\n";
  const shown = {
    "a status": ciliumWorld({
      kubeProxy: false,
      cmd: { "cilium-dbg-status---verbose": status("True   [ens5   10.40.0.10 (Direct Routing)]", socketLb) },
    }),
    "an older status": ciliumWorld({ kubeProxy: false, cmd: { "cilium-status---verbose": status("Strict") } }),
    "its ConfigMap": ciliumWorld({
      kubeProxy: false,
      files: {
        "cilium-configmap-20270203-101500.yaml":
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cilium-config, namespace: kube-system}\ndata:\n  kube-proxy-replacement: 'true'\n",
      },
    }),
    "a nat table without kube-proxy's rules": ciliumWorld({ kubeProxy: false }),
    "bpftool net": ciliumWorld({
      kubeProxy: false,
      cmd: { "bpftool-net-show": BPFTOOL_INSTEAD, "cilium-dbg-status---verbose": status("True", socketLb) },
    }),
  };

  // The kernel would route a ClusterIP that nobody translates to the gateway, and lose it there.
  test.each(Object.entries(shown))("by %s: neither reachable nor unreachable is claimed of a Service", (_, loaded) => {
    for (const [from, to] of [
      [A, VIP],
      [A, "10.40.0.20:30443"],
      ["pod/store/cart", VIP],
      ["198.51.100.7", "10.40.0.20:30443"],
      ["198.51.100.7", "10.40.0.20:9999"],
      [A, "10.40.0.20:9100"],
    ] as const)
      expect([from, to, verdict(loaded, from, to)]).toEqual([from, to, "undetermined"]);
    expect(datapaths(loaded)[0]).toMatchObject({ owner: "Cilium", services: "all", sockets: "all" });
  });

  test("no rule of kube-proxy is missed, and none made up", () => {
    const { reading, inputs } = shown["a status"];
    expect(check(reading, inputs).differences).toEqual([]);
    const nat = new Askable(shown["a status"], []).world.stacks[0]!.netfilter.tables.find((t) => t.name === "nat");
    expect(nat?.chains.some((c) => c.name.startsWith("KUBE-"))).toBe(false);
  });

  test("only what its own list has is translated while a socket connects", () => {
    const loaded = ciliumWorld({
      kubeProxy: true,
      cmd: {
        "bpftool-net-show": BPFTOOL_BESIDE,
        "cilium-dbg-status---verbose": status(
          "False",
          "KubeProxyReplacement Details:\n  Socket LB:   Enabled\n  Socket LB Coverage:   Hostns-only\n",
        ),
        "cilium-dbg-service-list": `ID   Frontend                Service Type   Backend
1    ${VIP}/TCP        ClusterIP      1 => 10.60.2.7:8443/TCP (active)
`,
      },
    });
    expect(verdict(loaded, A, VIP)).toBe("undetermined");
    expect(ask(loaded, A, VIP).causes.map((c) => [c.code, c.step])).toEqual([["DATAPATH_NOT_MODELLED", "socket"]]);
    expect(verdict(loaded, A, "10.40.0.20:9100")).toBe("reachable");
    expect(datapaths(loaded)[0]).toMatchObject({ sockets: "node", frontends: [`${VIP}/tcp`] });
  });
});

/** A node with an address, and what its tools print beside. */
const node = (name: string, address: string, files: Readonly<Record<string, string>>, devices = "") => ({
  [`nodes/${name}/ip-addr.txt`]: `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 02:00:00:00:00:0${address.at(-1)} brd ff:ff:ff:ff:ff:ff
    inet ${address}/24 brd 192.0.2.255 scope global eth0
       valid_lft forever preferred_lft forever
${devices}`,
  [`nodes/${name}/ip-route.txt`]: `default via 192.0.2.1 dev eth0\n192.0.2.0/24 dev eth0 proto kernel scope link src ${address}\n`,
  [`nodes/${name}/ip-rule.txt`]:
    "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
  [`nodes/${name}/iptables-save.txt`]:
    "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n",
  [`nodes/${name}/sysctl.txt`]:
    "net.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = 0\nnet.ipv4.ip_forward = 1\n",
  [`nodes/${name}/ss-lntu.txt`]:
    "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:Port\ntcp   LISTEN 0      128          0.0.0.0:22        0.0.0.0:*\n",
  ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`nodes/${name}/${path}`, text])),
});
const caseOf = (files: Readonly<Record<string, string>>): LoadedCase =>
  loadedCase({ inputs: Object.entries(files).map(([path, text]) => ({ path, text })), notes: [] });

describe("programs of nobody known", () => {
  const two = (files: Readonly<Record<string, string>>) =>
    caseOf({ ...node("a", "192.0.2.11", {}), ...node("b", "192.0.2.12", files) });

  test("without any, the flow is answered", () => {
    expect(verdict(two({}), "node/a", "192.0.2.12:22")).toBe("reachable");
    expect(
      verdict(
        two({ "notes.txt": "# bpftool net\nxdp:\n\ntc:\n\nflow_dissector:\n\nnetfilter:\n\n" }),
        "node/a",
        "192.0.2.12:22",
      ),
    ).toBe("reachable");
  });
  test.each([
    ["XDP", "# bpftool net show\nxdp:\neth0(2) driver id 77\n\ntc:\n\nflow_dissector:\n\n", "xdp"],
    [
      "tc",
      "# tc filter show dev eth0 ingress\nfilter protocol all pref 1 bpf chain 0 \nfilter protocol all pref 1 bpf chain 0 handle 0x1 fw.o:[main] direct-action not_in_hw id 31 tag 12ab34cd56ef7890 jited \n",
      "tc ingress",
    ],
    [
      "tc, on the way back",
      "# tc filter show dev eth0 egress\nfilter protocol all pref 1 bpf chain 0 handle 0x1 fw.o:[main] direct-action not_in_hw id 31 tag 12ab34cd56ef7890 jited \n",
      "tc egress",
    ],
    [
      "a drop by flower",
      "# tc filter show dev eth0 ingress\nfilter protocol ip pref 10 flower chain 0 \nfilter protocol ip pref 10 flower chain 0 handle 0x1 \n  eth_type ipv4\n  dst_ip 192.0.2.12\n  not_in_hw\n\taction order 1: gact action drop\n\t random type none pass val 0\n",
      "tc ingress",
    ],
    [
      "JSON of bpftool",
      `# bpftool -j net\n${JSON.stringify([{ xdp: [], tc: [{ devname: "eth0", ifindex: 2, kind: "tcx/ingress", name: "fw", prog_id: 7 }], flow_dissector: [], netfilter: [] }])}\n`,
      "tc ingress",
    ],
    [
      "netfilter",
      "# bpftool net\nxdp:\n\ntc:\n\nflow_dissector:\n\nnetfilter:\n\tip prerouting prio -128 prog_id 14\n",
      "any",
    ],
  ])("%s", (_, text, hook) => {
    const loaded = two({ "notes.txt": text });
    expect(verdict(loaded, "node/a", "192.0.2.12:22")).toBe("undetermined");
    expect(datapaths(loaded)).toMatchObject([{ node: "b", owner: null, hooks: [{ device: "eth0", hook }] }]);
  });
  test("a shaper that sends through an ifb keeps nothing back", () => {
    const shaper =
      "# tc filter show dev eth0 ingress\nfilter protocol all pref 49152 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 terminal flowid not_in_hw \n  match 00000000/00000000 at 0\n\taction order 1: mirred (Egress Redirect to device ifb0) stolen\n";
    expect(verdict(two({ "notes.txt": shaper }), "node/a", "192.0.2.12:22")).toBe("reachable");
  });
});

describe("Calico in eBPF mode", () => {
  const CALI = `9: cali1f2e3d4c5b6@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP group default qlen 1000
    link/ether ee:ee:ee:ee:ee:ee brd ff:ff:ff:ff:ff:ff link-netnsid 0
`;
  const felix = (enabled: boolean, more = "") =>
    `apiVersion: v1\nkind: List\nitems:\n- apiVersion: crd.projectcalico.org/v1\n  kind: FelixConfiguration\n  metadata:\n    name: default\n  spec:\n    bpfEnabled: ${enabled}\n${more}`;
  const cluster = (config: string) =>
    caseOf({ ...node("a", "192.0.2.11", {}, CALI), ...node("b", "192.0.2.12", {}, CALI), "felix.yaml": config });

  test("as Felix' configuration says", () => {
    const loaded = cluster(felix(true));
    expect(verdict(loaded, "node/a", "192.0.2.12:22")).toBe("undetermined");
    expect(datapaths(loaded)[0]).toMatchObject({
      owner: "Calico",
      services: "all",
      sockets: "all",
      openIn: ["eth0", "cali1f2e3d4c5b6"],
    });
    expect(datapaths(cluster(felix(true, "    bpfConnectTimeLoadBalancing: Disabled\n")))[0]).toMatchObject({
      sockets: "none",
    });
  });
  test("not where it is off", () => {
    const loaded = cluster(felix(false));
    expect(verdict(loaded, "node/a", "192.0.2.12:22")).toBe("reachable");
    expect(datapaths(loaded)).toEqual([]);
  });
  test("for one node alone", () => {
    const loaded = cluster(felix(true).replace("name: default", "name: node.b"));
    expect(datapaths(loaded).map((d) => d.node)).toEqual(["b"]);
  });
});

describe("a cluster of which only objects are shown", () => {
  const objects = (more: string): LoadedCase =>
    caseOf({
      "cluster.yaml": `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: w1}, spec: {podCIDR: 10.60.1.0/24}, status: {addresses: [{type: InternalIP, address: 192.0.2.21}], nodeInfo: {kubeProxyVersion: v1.31.0}}}
- {apiVersion: v1, kind: Node, metadata: {name: w2}, spec: {podCIDR: 10.60.2.0/24}, status: {addresses: [{type: InternalIP, address: 192.0.2.22}], nodeInfo: {kubeProxyVersion: v1.31.0}}}
- {apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: store, labels: {app: cart}}, spec: {nodeName: w1}, status: {podIP: 10.60.1.7, phase: Running, conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: till, namespace: store, labels: {app: till}}, spec: {nodeName: w2}, status: {podIP: 10.60.2.7, phase: Running, conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: v1, kind: Service, metadata: {name: till, namespace: store}, spec: {type: NodePort, clusterIP: 10.50.0.9, clusterIPs: [10.50.0.9], selector: {app: till}, ports: [{port: 443, targetPort: 8443, nodePort: 30443, protocol: TCP}]}}
- {apiVersion: v1, kind: Service, metadata: {name: none, namespace: store}, spec: {type: ClusterIP, clusterIP: 10.50.0.10, clusterIPs: [10.50.0.10], selector: {app: none}, ports: [{port: 80, protocol: TCP}]}}
- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: till-a, namespace: store, labels: {kubernetes.io/service-name: till}}, addressType: IPv4, ports: [{port: 8443, protocol: TCP}], endpoints: [{addresses: [10.60.2.7], conditions: {ready: true}, nodeName: w2}]}
${more}`,
    });
  const agent = (name: string, labels: string) =>
    `- {apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: kube-system, labels: {${labels}}}, spec: {nodeName: w1, hostNetwork: true}, status: {podIP: 192.0.2.21, hostIP: 192.0.2.21, phase: Running}}\n`;
  const OTHERS: Readonly<Record<string, string>> = {
    "Cilium without kube-proxy": agent("cilium-x2x9q", "k8s-app: cilium"),
    "OVN-Kubernetes by its agents": agent("ovnkube-node-8s7tz", "app: ovnkube-node"),
    "OVN-Kubernetes by OpenShift's Network":
      "- {apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster}, spec: {networkType: OVNKubernetes}}\n",
  };

  test("kube-proxy's part is made up where nothing speaks against it", () => {
    expect(ask(objects(""), "node/w1", "10.50.0.10:80").judgement.verdict).toBe("unreachable");
    expect(datapaths(objects(""))).toEqual([]);
    const sdn =
      "- {apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster}, spec: {networkType: OpenShiftSDN}}\n";
    expect(datapaths(objects(sdn))).toEqual([]);
  });
  test.each(Object.entries(OTHERS))("%s: no verdict on a Service, a pod or a node port", (_, more) => {
    const loaded = objects(more);
    for (const [from, to] of [
      ["pod/store/cart", "10.50.0.9:443"],
      ["pod/store/cart", "10.50.0.10:80"],
      ["pod/store/cart", "10.60.2.7:8443"],
      ["node/w1", "10.50.0.9:443"],
      ["node/w1", "10.50.0.10:80"],
      ["198.51.100.7", "192.0.2.22:30443"],
    ] as const)
      expect([from, to, verdict(loaded, from, to)]).toEqual([from, to, "undetermined"]);
  });
  test("Cilium beside kube-proxy: a Service without endpoints is still refused to a node, not to a pod", () => {
    const both = objects(agent("cilium-x2x9q", "k8s-app: cilium") + agent("kube-proxy-b4nn1", "k8s-app: kube-proxy"));
    expect(verdict(both, "node/w1", "10.50.0.10:80")).toBe("unreachable");
    expect(verdict(both, "pod/store/cart", "10.50.0.10:80")).toBe("undetermined");
  });
});
