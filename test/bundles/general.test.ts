import { haveReference } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { loadedCase } from "../../packages/case/src/index.ts";
import { Askable, diagnose, type LoadedCase } from "../../packages/core/src/diagnose/index.ts";
import { bundlesOf } from "../../packages/core/src/parse/index.ts";
import { bundleOf, type Flow, flowsOf, gradeFlow, metaOf } from "./grade.ts";
import { OPEN } from "./open.ts";

type Inputs = LoadedCase["inputs"];
type Names = ReadonlyMap<string, string>;

/** Other names for the nodes: nothing may hang on those of the samples. */
const renamed = (nodes: readonly string[]): Names =>
  new Map([...nodes].sort((a, b) => b.length - a.length).map((node, i) => [node, `rack${4 + i}-blade${i}.lan`]));
const spoken = (text: string, names: Names): string => {
  let out = text;
  for (const [from, to] of names) out = out.replaceAll(from, to);
  return out;
};

function inOtherWords(inputs: Inputs, names: Names, place = (path: string): string => path): Inputs {
  return inputs.map((input) => ({
    ...input,
    path: place(spoken(input.path, names)),
    ...(input.within !== undefined && { within: place(spoken(input.within, names)) }),
    ...(input.text !== undefined && { text: spoken(input.text, names) }),
  }));
}

function gradesOf(inputs: Inputs, flows: readonly Flow[], names: Names): readonly (readonly [string, string])[] {
  const askable = new Askable(loadedCase({ inputs, notes: [] }), []);
  const asked = (a: Flow["ask"]): Flow["ask"] => ({ ...a, from: spoken(a.from, names), to: spoken(a.to, names) });
  return flows
    .map((flow) => gradeFlow(askable, { ...flow, ask: asked(flow.ask), orAsk: flow.orAsk.map(asked) }))
    .filter((g) => g.grade !== "right")
    .map((g) => [g.id, g.grade] as const);
}

const openOf = (kind: string) => OPEN.filter(([id]) => id.startsWith(`${kind}-s-`));

describe.skipIf(!haveReference)("a recorded bundle in other clothes is answered as it was", () => {
  const KINDS = haveReference
    ? ["antctl", "calico", "cilium", "eks", "k8s-snap", "must-gather", "periscope", "rancher", "sos"]
    : [];
  test.each(KINDS)("%s: other nodes, inside of another archive and its folders", (kind) => {
    const names = renamed(metaOf(kind).bundleOf);
    const inside = (path: string): string => `ticket-4711.tar.zst/attachments/from customer/${path}`;
    expect(gradesOf(inOtherWords(bundleOf(kind).inputs, names, inside), flowsOf(kind), names)).toEqual(openOf(kind));
  });

  /** sos 4.0 writes namespaces flat, nft and rules of tables among the networking commands; 4.12 does not. */
  const newer = (path: string): string =>
    path
      .replace(/\/networking\/ip_netns_exec_([^_/]+)_/, "/networking/namespaces/$1/ip_netns_exec_$1_")
      .replace(/\/networking\/(iptables_-(?:t_\w+_-nvL|vnxL))$/, "/firewall_tables/$1")
      .replace(/\/networking\/nft_list_ruleset$/, "/firewall_tables/nft_-a_list_ruleset")
      .replace(/\/networking\/ip_-4_rule$/, "/networking/ip_-4_rule_list")
      .replace(/\/networking\/ip_route_show_table_all$/, "/networking/ip_route_show_table_all");
  const older = (path: string): string =>
    path
      .replace(/\/networking\/namespaces\/([^/]+)\/ip_netns_exec_/, "/networking/ip_netns_exec_")
      .replace(/\/firewall_tables\/(iptables_-(?:t_\w+_-nvL|vnxL))$/, "/networking/$1")
      .replace(/\/firewall_tables\/nft_-a_list_ruleset$/, "/networking/nft_list_ruleset")
      .replace(/\/networking\/ip_-4_rule_list$/, "/networking/ip_-4_rule");

  test.each([
    ["4.12", newer],
    ["4.0", older],
  ] as const)("sos in the layout of %s", (_, place) => {
    const { inputs } = bundleOf("sos");
    const moved = inOtherWords(inputs, new Map(), place);
    expect(gradesOf(moved, flowsOf("sos"), new Map())).toEqual([]);
  });
});

describe.skipIf(!haveReference)("a recorded bundle that lacks the files of one command", () => {
  test.each(haveReference ? ["calico", "cluster-info", "must-gather"] : [])("%s: no answer is a wrong one", (kind) => {
    const { inputs } = bundleOf(kind);
    const files = bundlesOf(inputs).all.flatMap((b) => b.files);
    const commands = [...new Set(files.map((f) => f.role.command ?? f.path))];
    expect(commands.length).toBeGreaterThan(2);
    const wrong = commands.flatMap((command) => {
      const left = new Set(files.filter((f) => (f.role.command ?? f.path) === command).map((f) => f.input));
      const grades = gradesOf(
        inputs.filter((i) => !left.has(i)),
        flowsOf(kind),
        new Map(),
      );
      return grades.filter(([, grade]) => grade === "wrong").map(([id]) => `${id} without ${command}`);
    });
    expect(wrong).toEqual([]);
  });
});

const UUID = "cni-0b6f6f0e-7a1c-4b60-9a51-3d1f5c1f9a11";
const sos = (netns: (command: string) => string): Readonly<Record<string, string>> => {
  const top = "sosreport-edge-7-2027-02-03-abcdefg/sos_commands";
  return {
    [`${top}/host/hostname`]: "edge-7\n",
    [`${top}/networking/ip_-d_address`]: `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 02:00:00:00:00:05 brd ff:ff:ff:ff:ff:ff promiscuity 0
    inet 192.0.2.5/24 scope global eth0
3: cali12345678901@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP group default qlen 1000
    link/ether ee:ee:ee:ee:ee:ee brd ff:ff:ff:ff:ff:ff link-netns ${UUID} promiscuity 0
    veth
`,
    [`${top}/networking/ip_route_show_table_all`]:
      "default via 192.0.2.1 dev eth0 \n192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.5 \n10.60.1.7 dev cali12345678901 scope link \nlocal 127.0.0.0/8 dev lo table local proto kernel scope host src 127.0.0.1 \nlocal 192.0.2.5 dev eth0 table local proto kernel scope host src 192.0.2.5 \n",
    [`${top}/networking/ip_-4_rule_list`]:
      "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
    [`${top}/kernel/sysctl_-a`]:
      "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = 0\nnet.ipv4.conf.cali12345678901.rp_filter = 0\nnet.ipv4.conf.cali12345678901.proxy_arp = 1\n",
    [`${top}/networking/${netns("ip_address_show")}`]: `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
3: eth0@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP group default qlen 1000
    link/ether 02:00:00:00:01:07 brd ff:ff:ff:ff:ff:ff link-netnsid 0
    inet 10.60.1.7/32 scope global eth0
`,
    [`${top}/networking/${netns("ip_route_show_table_all")}`]:
      "default via 169.254.1.1 dev eth0 \n169.254.1.1 dev eth0 scope link \n",
  };
};
const caseOf = (files: Readonly<Record<string, string>>): LoadedCase =>
  loadedCase({ inputs: Object.entries(files).map(([path, text]) => ({ path, text })), notes: [] });
const verdictOf = (loaded: LoadedCase, from: string, to: string): string =>
  diagnose(new Askable(loaded, []), { from, to, proto: "tcp" }).judgement.verdict;

describe("namespaces of a sos report", () => {
  test.each([
    ["4.0: flat", (c: string) => `ip_netns_exec_${UUID}_${c}`],
    ["4.12: a folder each", (c: string) => `namespaces/${UUID}/ip_netns_exec_${UUID}_${c}`],
  ])("%s", (_, netns) => {
    const { world } = new Askable(caseOf(sos(netns)), []);
    expect(world.stacks.map((s) => [s.name, s.kind, s.node])).toEqual([
      ["edge-7", "node", undefined],
      [`netns:${UUID}`, "pod", "edge-7"],
    ]);
    const node = world.stacks[0]!.devices.items.flatMap((d) => d.addresses.map((a) => a.prefix.length));
    expect(node).not.toContain(32);
  });
});

describe("whose a bundle is", () => {
  test("a node that says its name is not another one", () => {
    const loaded = caseOf(sos((c) => `ip_netns_exec_${UUID}_${c}`));
    expect(verdictOf(loaded, "node/edge-7.example.net", "192.0.2.5:22")).toBe("undetermined");
    expect(() => verdictOf(loaded, "node/edge-8", "192.0.2.5:22")).toThrow("edge-8");
  });

  test("two machines' bundles that nothing names, in folders of one name, stay two", () => {
    const of = (folder: string): Readonly<Record<string, string>> => ({
      [`${folder}/data/collector.json/kubeskoop/node/ip-route`]: "default via 192.0.2.1 dev eth0\n",
      [`${folder}/data/collector.json/kubeskoop/node/ip-rule`]: "0:\tfrom all lookup local\n",
      [`${folder}/data/collector.json/kubeskoop/node/ip-addr.json`]: "[]",
    });
    const { all } = bundlesOf(caseOf({ ...of("ticket/left"), ...of("ticket/right.tar.gz") }).inputs);
    expect(all.map((b) => [b.kind.id, b.node]).sort()).toEqual([
      ["kubeskoop", "left"],
      ["kubeskoop", "right"],
    ]);
  });

  test("AKS periscope says its host in a file, whatever its archive is called", () => {
    const { all } = bundlesOf(
      caseOf({
        "upload.zip/iptables/iptables":
          "Chain PREROUTING (policy ACCEPT)\ntarget     prot opt source               destination\n",
        "upload.zip/kubeletcmd/kubeletcmd": "/usr/local/bin/kubelet --node-ip=192.0.2.3\n",
        "upload.zip/networkconfig/networkconfig": '[{"HostName": "aks-pool-7", "NetworkPlugin": "azure"}]',
      }).inputs,
    );
    expect(all.map((b) => b.node)).toEqual(["aks-pool-7"]);
  });
});

describe("several bundles at once", () => {
  const objects = {
    "dump/nodes.json": JSON.stringify({
      kind: "NodeList",
      apiVersion: "v1",
      items: [5, 6].map((n) => ({
        metadata: { name: `edge-${n + 2}` },
        status: {
          addresses: [{ type: "InternalIP", address: `192.0.2.${n}` }],
          nodeInfo: { kubeProxyVersion: "v1.31.0" },
        },
      })),
    }),
    "dump/default/replication-controllers.json": JSON.stringify({
      kind: "ReplicationControllerList",
      apiVersion: "v1",
      items: [],
    }),
    "dump/default/services.json": JSON.stringify({
      kind: "ServiceList",
      apiVersion: "v1",
      items: [
        {
          metadata: { name: "till", namespace: "default" },
          spec: {
            type: "ClusterIP",
            clusterIP: "10.50.0.9",
            selector: { app: "till" },
            ports: [{ port: 80, protocol: "TCP" }],
          },
        },
      ],
    }),
    "dump/default/pods.json": JSON.stringify({
      kind: "PodList",
      apiVersion: "v1",
      items: [
        {
          metadata: { name: "cart", namespace: "default", labels: { app: "cart" } },
          spec: { nodeName: "edge-7", containers: [] },
          status: { podIP: "10.60.1.7", phase: "Running" },
        },
      ],
    }),
  };
  const both = caseOf({ ...sos((c) => `namespaces/${UUID}/ip_netns_exec_${UUID}_${c}`), ...objects });

  test("a node's sos report beside a dump of the cluster: each is recognised, the node is the one of the Node object", () => {
    expect(
      bundlesOf(both.inputs)
        .all.map((b) => [b.kind.id, b.node])
        .sort(),
    ).toEqual([
      ["cluster-info", undefined],
      ["sos", "edge-7"],
    ]);
    const { world } = new Askable(both, []);
    expect(world.stacks.filter((s) => s.kind === "node").map((s) => [s.name, s.fromObjects === true])).toEqual([
      ["edge-7", false],
      ["edge-8", true],
    ]);
  });
  test("a pod by its name is the namespace that has its address, and a Service is known by its own", () => {
    const { inquiry, judgement } = diagnose(new Askable(both, []), {
      from: "pod/default/cart",
      to: "svc/default/till:80",
      proto: "tcp",
    });
    expect(inquiry.question?.client).toBe(`netns:${UUID}`);
    // No pod has its labels: kube-proxy would refuse it, on tables that nobody showed.
    expect(judgement.verdict).not.toBe("reachable");
  });
});

describe("what a listing with counters hides", () => {
  const listing = (rule: string): Readonly<Record<string, string>> => ({
    ...sos((c) => `namespaces/${UUID}/ip_netns_exec_${UUID}_${c}`),
    "sosreport-edge-7-2027-02-03-abcdefg/sos_commands/firewall_tables/iptables_-t_nat_-nvL": [
      "PREROUTING",
      "INPUT",
      "OUTPUT",
      "POSTROUTING",
    ]
      .map(
        (c) =>
          `Chain ${c} (policy ACCEPT 0 packets, 0 bytes)\n pkts bytes target     prot opt in     out     source               destination         \n`,
      )
      .join("\n"),
    "sosreport-edge-7-2027-02-03-abcdefg/sos_commands/firewall_tables/iptables_-t_filter_-nvL": `Chain INPUT (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination         
${rule}
Chain FORWARD (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination         

Chain OUTPUT (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination         
`,
  });
  const asked = (rule: string): string => verdictOf(caseOf(listing(rule)), "198.51.100.9", "192.0.2.5:22");

  test("a rule that it shows is one", () => {
    expect(
      asked("    0     0 DROP       6    --  *      *       0.0.0.0/0            0.0.0.0/0            tcp dpt:22\n"),
    ).toBe("unreachable");
  });
  test("a match that it does not spell out is open", () => {
    expect(
      asked(
        "    0     0 DROP       6    --  *      *       0.0.0.0/0            0.0.0.0/0            tcp dpt:22 someday match 17\n",
      ),
    ).toBe("undetermined");
  });
});
