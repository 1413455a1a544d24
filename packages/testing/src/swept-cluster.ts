import { assemble } from "@hairpin/core/assemble/index.ts";
import { DEFAULT_CONFIG, NEWEST_MODELLED, type Programmed, programme } from "@hairpin/core/kubernetes/index.ts";
import type { KubernetesObjects } from "@hairpin/core/model/index.ts";
import { formatAddress } from "@hairpin/core/net/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";
import { printSave as printSets } from "@hairpin/core/parse/ipset/index.ts";
import { printTables } from "@hairpin/core/parse/iptables/index.ts";
import { printSave as printServers } from "@hairpin/core/parse/ipvs/index.ts";
import { printRuleset } from "@hairpin/core/parse/nft/index.ts";
import { SWEPT_4, SWEPT_6, type SweptAddresses } from "./swept-addresses.ts";
import { sweptService, type Trait } from "./varied/service.ts";

/** What is wrong with a generated cluster: each kind another cause. */
export type Fault =
  | "forward-policy-drop"
  | "ip-forward-off"
  | "hairpin-off"
  | "blackhole-route"
  | "no-endpoints"
  | "stale-endpoint"
  | "service-not-programmed"
  | "pod-route-missing"
  | "kubelet-rejected"
  | "local-policy"
  | "masquerade-missing"
  | "kubelet-down";

const ofNode = (at: number): string => `node/${nodeName(at)}`;
const ofService = (at: number): string => `svc/shop/${serviceName(at)}`;

/** Where each shows, and by which causes: what a sweep has to say of it, and nothing else. */
export const FOUND_AS: Readonly<
  Record<Fault, { readonly at: (at: number) => string; readonly codes: readonly string[] }>
> = {
  "forward-policy-drop": { at: ofNode, codes: ["FORWARD_POLICY_DROP"] },
  "ip-forward-off": { at: ofNode, codes: ["IP_FORWARD_OFF"] },
  "hairpin-off": { at: ofNode, codes: ["HAIRPIN_OFF"] },
  "blackhole-route": { at: ofNode, codes: ["BLACKHOLE_ROUTE"] },
  "no-endpoints": { at: ofService, codes: ["NO_ENDPOINTS"] },
  "stale-endpoint": { at: ofNode, codes: ["STALE_ENDPOINT"] },
  "service-not-programmed": { at: ofNode, codes: ["SERVICE_NOT_PROGRAMMED_HERE"] },
  "pod-route-missing": { at: ofNode, codes: ["NO_ROUTE"] },
  "kubelet-rejected": { at: ofNode, codes: ["RULE_DROP"] },
  // A node without endpoints drops what comes from outside; what pods ask of it goes on to an endpoint elsewhere as it is, and the
  // answer comes back past it.
  "local-policy": { at: ofService, codes: ["ETP_LOCAL_NO_ENDPOINT_IPTABLES", "MASQ_MISSING_REMOTE_ENDPOINT"] },
  "masquerade-missing": { at: ofNode, codes: ["MASQ_MISSING_REMOTE_ENDPOINT"] },
  "kubelet-down": { at: ofNode, codes: ["NO_LISTENER"] },
};

export interface SweptCluster {
  readonly nodes: number;
  /** Pods of each node. */
  readonly pods: number;
  readonly services: number;
  /** Service `svc-N` has a node port for the first so many. */
  readonly nodePorts: number;
  /** kube-proxy's; absent: iptables. What is wrong with rules of iptables needs that. */
  readonly mode?: "iptables" | "ipvs" | "nftables";
  /** Absent: 4. */
  readonly family?: 4 | 6;
  /** On which node, or at which Service, counted from 0; two faults of one kind are two entries. */
  readonly faults: readonly { readonly kind: Fault; readonly at: number }[];
  /** What else some Services are. */
  readonly traits?: readonly { readonly trait: Trait; readonly at: number }[];
}

const byte = (n: number): string => n.toString(16).padStart(2, "0");
export const nodeName = (n: number): string => `node-${n}`;
export const { node: nodeAddress, pod: podAddress, service: serviceAddress } = SWEPT_4;
const addressesIn = ({ family }: SweptCluster): SweptAddresses => (family === 6 ? SWEPT_6 : SWEPT_4);
export const serviceName = (s: number): string => (s === 0 ? "kube-dns" : `svc-${s}`);
export const nodePortOf = (s: number): number => 30_000 + s;
const PORT = 8080;
/** A pod that is no more. */
const GONE = 200;

/** Three of its endpoints: on as many nodes as there are. */
const endpointsOf = ({ nodes, pods }: SweptCluster, s: number): readonly { node: number; pod: number }[] =>
  Array.from({ length: Math.min(3, nodes) }, (_, i) => ({ node: (s * 3 + i) % nodes, pod: s % pods }));

const has = (given: SweptCluster, kind: Fault, at: number): boolean =>
  given.faults.some((f) => f.kind === kind && f.at === at);

/** Dumps of every node and the objects of the cluster, as `hairpin collect` would have them, with what is wrong built in. */
export function sweptCluster(given: SweptCluster): Record<string, string> {
  const files: Record<string, string> = { "objects.yaml": objects(given) };
  const seen = kubernetesOf(objects(given, true));
  const later = kubernetesOf(files["objects.yaml"]!);
  for (let n = 0; n < given.nodes; n++) {
    const folder = `nodes/${nodeName(n)}`;
    files[`${folder}/ip-addr.txt`] = addresses(given, n);
    files[`${folder}/${given.family === 6 ? "ip-6-route" : "ip-route"}.txt`] = routes(given, n);
    files[`${folder}/bridge-link.txt`] = bridge(given, n);
    files[`${folder}/sysctl.txt`] = sysctls(given, n);
    files[`${folder}/ss-lntp.txt`] = has(given, "kubelet-down", n) ? SOCKETS.replace("10250", "22") : SOCKETS;
    // Who missed an update programmes what was before.
    const programmed = programmedOn(given, n, has(given, "stale-endpoint", n) ? seen : later);
    files[`${folder}/${given.family === 6 ? "ip6tables-save" : "iptables-save"}.txt`] = rules(given, n, programmed);
    // Its card has an address of IPv4, too.
    if (given.family === 6)
      files[`${folder}/ip-route.txt`] = `10.0.0.0/16 dev eth0 proto kernel scope link src ${SWEPT_4.node(n)}\n`;
    if (given.mode === "nftables") files[`${folder}/nft-list-ruleset.txt`] = printRuleset(programmed.nft ?? []);
    if (given.mode !== "ipvs") continue;
    files[`${folder}/ipset-save.txt`] = printSets(programmed.sets);
    files[`${folder}/ipvsadm-save.txt`] = printServers(programmed.virtualServers);
    files[`${folder}/ip-addr.txt`] += dummy(given, n, programmed);
    files[`${folder}/sysctl.txt`] += programmed.sysctls.map((k) => `${k.key} = ${k.value}\n`).join("");
  }
  return files;
}

const SOCKETS = `State    Recv-Q   Send-Q     Local Address:Port      Peer Address:Port   Process
LISTEN   0        4096                   *:10250                *:*       users:(("kubelet",pid=801,fd=14))
`;

const kubernetesOf = (text: string): KubernetesObjects =>
  assemble(readCase([{ path: "objects.yaml", text }])).world.kubernetes;

function addresses(given: SweptCluster, n: number): string {
  const links = Array.from(
    { length: given.pods },
    (
      _,
      p,
    ) => `${p + 4}: veth${p}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master cni0 state UP group default
    link/ether 02:${byte(n >> 8)}:${byte(n & 255)}:01:00:${byte(p)} brd ff:ff:ff:ff:ff:ff link-netnsid ${p}
`,
  );
  const { node, podNetwork, bridge: own } = addressesIn(given);
  if (given.family === 6) return addresses6(n, node(n), own(n), links.join(""));
  return `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 02:${byte(n >> 8)}:${byte(n & 255)}:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet ${node(n)}/16 brd 10.0.255.255 scope global eth0
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 02:${byte(n >> 8)}:${byte(n & 255)}:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet ${own(n)}/24 brd ${podNetwork(n).replace(".0/24", ".255")} scope global cni0
${links.join("")}`;
}

const addresses6 = (n: number, own: string, bridge: string, links: string): string =>
  `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet6 ::1/128 scope host noprefixroute
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 02:${byte(n >> 8)}:${byte(n & 255)}:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet ${SWEPT_4.node(n)}/16 brd 10.0.255.255 scope global eth0
    inet6 ${own}/64 scope global
    inet6 fe80::${(n + 1).toString(16)}:2/64 scope link
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 02:${byte(n >> 8)}:${byte(n & 255)}:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet6 ${bridge}/64 scope global
    inet6 fe80::${(n + 1).toString(16)}:3/64 scope link
${links}`;

function routes(given: SweptCluster, n: number): string {
  const others = Array.from({ length: given.nodes }, (_, m) => m).filter(
    (m) => m !== n && !(has(given, "pod-route-missing", n) && m === (n + 1) % given.nodes),
  );
  const { node, nodeNetwork, podNetwork, bridge: own, half, gateway } = addressesIn(given);
  const next = (n + 1) % given.nodes;
  // The kernel notes a source on the routes of IPv4 only.
  const [ofNode4, ofBridge4] =
    given.family === 6 ? ["metric 256", "metric 256"] : [`scope link src ${node(n)}`, `scope link src ${own(n)}`];
  return `${has(given, "pod-route-missing", n) ? "" : `default via ${gateway} dev eth0\n`}${has(given, "blackhole-route", n) ? `blackhole ${half(next)}${given.family === 6 ? " dev lo metric 1024 error -22" : ""}\n` : ""}${nodeNetwork} dev eth0 proto kernel ${ofNode4}
${podNetwork(n)} dev cni0 proto kernel ${ofBridge4}
${others.map((m) => `${podNetwork(m)} via ${node(m)} dev eth0\n`).join("")}`;
}

const bridge = (given: SweptCluster, n: number): string =>
  Array.from(
    { length: given.pods },
    (
      _,
      p,
    ) => `${p + 4}: veth${p}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 master cni0 state forwarding priority 32 cost 2
    hairpin ${has(given, "hairpin-off", n) ? "off" : "on"} guard off root_block off fastleave off learning on flood on mcast_flood on
`,
  ).join("");

function sysctls(given: SweptCluster, n: number): string {
  const devices = ["all", "default", "lo", "eth0", "cni0"];
  const on = has(given, "ip-forward-off", n) ? 0 : 1;
  if (given.family === 6)
    return `net.ipv4.ip_forward = 1
${devices.map((d) => `net.ipv6.conf.${d}.forwarding = ${on}\nnet.ipv6.conf.${d}.disable_ipv6 = 0\n`).join("")}net.bridge.bridge-nf-call-ip6tables = 1
net.netfilter.nf_conntrack_tcp_be_liberal = 0
`;
  return `net.ipv4.ip_forward = ${on}
${devices.map((d) => `net.ipv4.conf.${d}.rp_filter = 0\nnet.ipv4.conf.${d}.accept_local = 0\nnet.ipv4.conf.${d}.route_localnet = 1\nnet.ipv4.conf.${d}.forwarding = ${on}\n`).join("")}net.bridge.bridge-nf-call-iptables = 1
net.netfilter.nf_conntrack_tcp_be_liberal = 0
`;
}

const dummy = (given: SweptCluster, n: number, { addresses: own }: Programmed): string =>
  `${given.pods + 4}: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default
    link/ether 02:${byte(n >> 8)}:${byte(n & 255)}:02:00:00 brd ff:ff:ff:ff:ff:ff
${own.map((a) => `    inet${given.family === 6 ? "6" : ""} ${formatAddress(a)}/${given.family === 6 ? 128 : 32} scope global kube-ipvs0\n`).join("")}`;

/** What kube-proxy writes from the objects. */
function programmedOn(given: SweptCluster, n: number, kubernetes: KubernetesObjects): Programmed {
  const node = kubernetes.nodes.find((o) => o.name === nodeName(n))!;
  const made = programme({
    services: kubernetes.services,
    endpoints: kubernetes.endpoints,
    pods: kubernetes.pods,
    node: { ...node, labels: {} },
    config: {
      ...DEFAULT_CONFIG,
      mode: given.mode ?? "iptables",
      detectLocal: { mode: "ClusterCIDR", clusterCidrs: [addressesIn(given).clusterCidr] },
    },
    version: NEWEST_MODELLED,
  });
  if (made.kind !== "programmed") throw new Error(made.mode);
  return made.families.find((f) => f.family === (given.family ?? 4))!;
}

/** The same as iptables-save prints it, with what an administrator or another program did to it. */
function rules(given: SweptCluster, n: number, { tables }: Programmed): string {
  let text = printTables(tables);
  if (has(given, "forward-policy-drop", n)) {
    const filter = text.indexOf("*filter");
    text = text.slice(0, filter) + text.slice(filter).replace(":FORWARD ACCEPT", ":FORWARD DROP");
  }
  for (const { kind, at } of given.faults) {
    if (kind === "service-not-programmed" && at === n)
      text = text
        .split("\n")
        .filter((l) => !(l.startsWith("-A KUBE-SERVICES ") && l.includes(` ${addressesIn(given).service(1)}/`)))
        .join("\n");
    if (kind === "kubelet-rejected" && at === n) {
      const filter = text.indexOf("*filter");
      const reject = `-A INPUT -p tcp -m tcp --dport 10250 -j REJECT --reject-with ${given.family === 6 ? "icmp6" : "icmp"}-port-unreachable`;
      text = text.slice(0, filter) + text.slice(filter).replace("\n-A INPUT", `\n${reject}\n-A INPUT`);
    }
    if (kind === "masquerade-missing" && at === n)
      text = text
        .split("\n")
        .filter((l) => !(l.startsWith("-A KUBE-POSTROUTING") && l.includes("MASQUERADE")))
        .join("\n");
  }
  return text;
}

/** `before`: as it was when a pod that is gone now still served the second Service. */
function objects(given: SweptCluster, before = false): string {
  const { node, pod, podNetwork } = addressesIn(given);
  const nodes = Array.from(
    { length: given.nodes },
    (_, n) => `- apiVersion: v1
  kind: Node
  metadata: { name: ${nodeName(n)} }
  spec: { podCIDR: "${podNetwork(n)}" }
  status:
    addresses: [{ type: InternalIP, address: "${node(n)}" }]
    conditions: [{ type: Ready, status: "True" }]
    nodeInfo: { kernelVersion: 6.8.0-generic, kubeletVersion: v1.${NEWEST_MODELLED.minor}.0 }
`,
  );
  const pods = Array.from({ length: given.nodes }, (_, n) =>
    Array.from(
      { length: given.pods },
      (_, p) => `- apiVersion: v1
  kind: Pod
  metadata: { name: pod-${n}-${p}, namespace: shop, labels: { app: "${p}" } }
  spec: { nodeName: ${nodeName(n)}, containers: [{ name: c, ports: [{ containerPort: ${PORT} }] }] }
  status: { podIP: "${pod(n, p)}", podIPs: [{ ip: "${pod(n, p)}" }], phase: Running }
`,
    ).join(""),
  );
  const services = Array.from({ length: given.services }, (_, s) => serviceIn(given, s, before));
  return `apiVersion: v1\nkind: List\nitems:\n${[...nodes, ...pods, ...services].join("")}`;
}

function serviceIn(given: SweptCluster, s: number, before: boolean): string {
  const current = has(given, "no-endpoints", s) ? [] : endpointsOf(given, s);
  const ends = before && s === 1 ? [{ node: current[0]?.node ?? 0, pod: GONE }] : current;
  return sweptService({
    name: serviceName(s),
    number: s,
    family: given.family ?? 4,
    nodePort: s < given.nodePorts ? nodePortOf(s) : undefined,
    isLocal: has(given, "local-policy", s),
    ends,
    traits: (given.traits ?? []).filter((t) => t.at === s).map((t) => t.trait),
    nodeName,
  });
}
