import { append, edit, host, pick, rulesOf, who } from "./edit.ts";
import type { Varied, Vary } from "./varied.ts";

const OBJECTS = "objects.yaml";

function object({ files }: Varied, yaml: string): void {
  if (files[OBJECTS] !== undefined) files[OBJECTS] += yaml;
}

/** A chain alone, as `iptables -nvL CHAIN` prints it: with what it has counted, and without what leads to it. */
function chainAlone(given: Varied, packets: number): void {
  const { family, at } = given;
  const [tool, any] = family === 6 ? ["ip6tables", "::/0"] : ["iptables", "0.0.0.0/0"];
  const [from, to] = at % 2 === 0 ? [who(given), any] : [any, who(given)];
  append(
    given,
    `${tool}-nvL-policy.txt`,
    `$ ${tool} -t filter -nvL POLICY
Chain POLICY (1 references)
 pkts bytes target     prot opt in     out     source               destination
    ${packets}   300 DROP       ${family === 6 ? "all      " : "all  --"}  *      *       ${from}          ${to}
`,
  );
}

/** What is suspected wherever a packet comes by, and what a node or an address is suspected by. */
export const SUSPECTED: Readonly<Record<string, Vary>> = {
  "bound-elsewhere": (g) => {
    const { n, family, addresses: a, at, services } = g;
    const own = pick([host(g), a.node((n + 1) % g.nodes), a.service(at % services)], at);
    append(
      g,
      "ip-addr.txt",
      `93: dummy0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default
    link/ether 02:00:0${n}:00:00:93 brd ff:ff:ff:ff:ff:ff
    inet${family === 6 ? "6" : ""} ${own}/${family === 6 ? 128 : 32} scope global dummy0
`,
    );
  },
  "chain-alone-counted": (g) => {
    if (g.at % 3 === 0) delete g.files[`${g.folder}/${rulesOf(g)}`];
    chainAlone(g, pick([0, 5], g.at));
  },
  "drop-not-read-counted": (g) =>
    append(
      g,
      "nft-list-ruleset.txt",
      `table inet other-${g.n} {\n\tchain c {\n\t\ttype filter hook forward priority 0; policy accept;\n\t\t${g.family === 6 ? "ip6" : "ip"} saddr ${host(g)} weather rain counter packets ${pick([7, 0], g.at)} bytes 300 drop\n\t}\n}\n`,
    ),
  "server-taken-out": (g) => {
    const { files, folder, addresses: a, n, family } = g;
    if (files[`${folder}/ipvsadm-save.txt`] === undefined || family === 6) return;
    delete files[`${folder}/ipvsadm-save.txt`];
    edit(
      g,
      "sysctl.txt",
      (t) => `${t.replace(/net\.ipv4\.vs\.conn_reuse_mode.*\n/, "")}net.ipv4.vs.conn_reuse_mode = 0\n`,
    );
    const own = pick([`${a.service(1)}:80`, `${a.node(n)}:30001`], g.at);
    append(
      g,
      "ipvsadm-ln.txt",
      `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  ${own} rr
  -> ${a.pod(0, 0)}:8080             Masq    0      0          ${pick([5, 0], g.at)}
  -> ${a.pod(1, 0)}:8080             Masq    1      0          0
`,
    );
  },
  "proxy-not-ready": (g) =>
    object(
      g,
      `- apiVersion: v1
  kind: Pod
  metadata: { name: kube-proxy-${g.n}${g.at}, namespace: kube-system }
  spec: { nodeName: node-${g.n}, hostNetwork: true, containers: [{ name: c }] }
  status: { podIP: "${g.addresses.node(g.n)}", phase: Running, conditions: [{ type: Ready, status: "${pick(["False", "True"], g.at)}" }] }
`,
    ),
  "rules-of-proxy-gone": (g) =>
    edit(g, rulesOf(g), (t) =>
      t.replace(/^(?::KUBE-|-A KUBE-|-A (?:PREROUTING|OUTPUT|POSTROUTING) .*KUBE-).*\n/gm, ""),
    ),
  "pod-network-not-known": ({ files, addresses, n }) => {
    files[OBJECTS] = (files[OBJECTS] ?? "").replace(`  spec: { podCIDR: "${addresses.podNetwork(n)}" }\n`, "");
  },
  "pool-of-addresses": ({ files, addresses, n, at, family }) => {
    files["ippools.yaml"] ??= `apiVersion: crd.projectcalico.org/v1
kind: IPPool
metadata: { name: pool-${n} }
spec: { cidr: "${pick([addresses.clusterCidr, addresses.podNetwork(n), addresses.nodeNetwork], at)}", natOutgoing: ${at % 2 === 0}, ${family === 6 ? "" : "ipipMode: Never"} }
`;
  },
  "table-full": (g) =>
    append(
      g,
      "sysctl.txt",
      `net.netfilter.nf_conntrack_count = ${pick([999, 10], g.at)}\nnet.netfilter.nf_conntrack_max = 1000\n`,
    ),
  "proxy-configured": (g) =>
    object(
      g,
      `- apiVersion: v1
  kind: ConfigMap
  metadata: { name: kube-proxy, namespace: kube-system }
  data:
    config.conf: |
      apiVersion: kubeproxy.config.k8s.io/v1alpha1
      kind: KubeProxyConfiguration
      mode: iptables
      nodePortAddresses: ["${pick(["primary", g.addresses.nodeNetwork, `${g.addresses.node(0)}/${g.family === 6 ? 128 : 32}`], g.at)}"]
`,
    ),
};
