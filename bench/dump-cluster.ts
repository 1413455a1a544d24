import type { Chain, IptablesTable, KubernetesObjects } from "@hairpin/core/model/index.ts";
import { inMapOrder } from "@hairpin/testing/map-order.ts";
import { assemble } from "../packages/core/src/assemble/index.ts";
import { DEFAULT_CONFIG, NEWEST_MODELLED, programme } from "../packages/core/src/kubernetes/index.ts";
import { readCase } from "../packages/core/src/parse/index.ts";
import { printRule } from "../packages/core/src/parse/iptables/index.ts";

/** A cluster of which every node was dumped: kube-proxy in iptables mode, a bridge and a veth for each pod, host routes between nodes. */
export interface DumpCluster {
  readonly nodes: number;
  /** Of each node. */
  readonly pods: number;
  readonly services: number;
  readonly endpoints: number;
  /** The last so many have a node port and `externalTrafficPolicy: Local`: their rules differ from node to node. */
  readonly local: number;
  /** Nodes know each other and their pods, and bridges by which port. */
  readonly neighbours?: boolean;
  /** No node has as many pods as the next one: up to so many more. */
  readonly uneven?: number;
  /** The CNI plugin has a chain for each pod. */
  readonly podChains?: boolean;
}

const CLUSTER = "10.128.0.0/9";
const PORT = 8080;
const byte = (n: number): string => n.toString(16).padStart(2, "0");
const nodeName = (n: number): string => `node-${n}`;
const nodeAddress = (n: number): string => `10.0.${1 + (n >> 7)}.${(n & 127) + 10}`;
const network = (n: number): string => `10.${128 + (n >> 8)}.${n & 255}`;
const podsOn = ({ pods, uneven = 0 }: DumpCluster, n: number): number => pods + ((n * 7) % (uneven + 1));
const podAddress = (n: number, p: number): string => `${network(n)}.${p + 10}`;
const serviceAddress = (s: number): string => `10.96.${(s + 10) >> 8}.${(s + 10) & 255}`;
/** Names sort as numbers do. */
const serviceName = (s: number): string => `checkout-backend-of-team-${String(s).padStart(5, "0")}`;

/** Pods in turn, each on another node. */
const endpointsOf = ({ nodes, pods, endpoints }: DumpCluster, s: number): readonly { node: number; pod: number }[] =>
  Array.from({ length: endpoints }, (_, i) => {
    const at = s * endpoints + i;
    return { node: at % nodes, pod: Math.floor(at / nodes) % pods };
  });

function objectsOf(given: DumpCluster, from: number, to: number): string {
  const items: unknown[] = [];
  for (let n = 0; n < given.nodes; n++)
    items.push({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: nodeName(n) },
      spec: { podCIDR: `${network(n)}.0/24` },
      status: {
        addresses: [{ type: "InternalIP", address: nodeAddress(n) }],
        conditions: [{ type: "Ready", status: "True" }],
        nodeInfo: { kernelVersion: "6.8.0-generic", kubeletVersion: `v1.${NEWEST_MODELLED.minor}.0` },
      },
    });
  for (let n = 0; n < given.nodes; n++)
    for (let p = 0; p < podsOn(given, n); p++)
      items.push({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: `pod-${n}-${p}`, namespace: "shop-production", labels: { app: `${p}` } },
        spec: { nodeName: nodeName(n), containers: [{ name: "c", ports: [{ containerPort: PORT }] }] },
        status: { podIP: podAddress(n, p), podIPs: [{ ip: podAddress(n, p) }], phase: "Running" },
      });
  for (let s = from; s < to; s++) items.push(...serviceOf(given, s));
  return JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 1);
}

function serviceOf(given: DumpCluster, s: number): readonly unknown[] {
  const isLocal = s >= given.services - given.local;
  const name = serviceName(s);
  const port = { name: "http", protocol: "TCP", port: 80, targetPort: PORT };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "shop-production" },
      spec: {
        type: isLocal ? "NodePort" : "ClusterIP",
        clusterIP: serviceAddress(s),
        clusterIPs: [serviceAddress(s)],
        ipFamilies: ["IPv4"],
        ...(isLocal && { externalTrafficPolicy: "Local" }),
        ports: [isLocal ? { ...port, nodePort: 30_000 + given.services - 1 - s } : port],
      },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-x`, namespace: "shop-production", labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      ports: [{ name: "http", protocol: "TCP", port: PORT }],
      endpoints: endpointsOf(given, s).map((e) => ({
        addresses: [podAddress(e.node, e.pod)],
        conditions: { ready: true },
        nodeName: nodeName(e.node),
        targetRef: { kind: "Pod", namespace: "shop-production", name: `pod-${e.node}-${e.pod}` },
      })),
    },
  ];
}

function tablesOn(kubernetes: KubernetesObjects, n: number): readonly IptablesTable[] {
  const node = kubernetes.nodes.find((o) => o.name === nodeName(n))!;
  const made = programme({
    services: kubernetes.services,
    endpoints: kubernetes.endpoints,
    pods: kubernetes.pods,
    node: { ...node, labels: {} },
    config: { ...DEFAULT_CONFIG, mode: "iptables", detectLocal: { mode: "ClusterCIDR", clusterCidrs: [CLUSTER] } },
    version: NEWEST_MODELLED,
  });
  if (made.kind !== "programmed") throw new Error(made.mode);
  return made.families.find((f) => f.family === 4)!.tables;
}

const LAST = "kubernetes service nodeports";

/** What kube-proxy writes on one node: the rules of most Services are the same on all nodes, and are made once. */
class Programmed {
  readonly #common: readonly IptablesTable[];
  readonly #local: KubernetesObjects | undefined;
  readonly #texts = new Map<Chain, string>();

  constructor(given: DumpCluster) {
    const first = given.services - given.local;
    const read = (from: number, to: number): KubernetesObjects =>
      assemble(readCase([{ path: "objects.json", text: objectsOf(given, from, to) }])).world.kubernetes;
    this.#common = tablesOn(read(0, first), 0);
    this.#local = given.local === 0 ? undefined : read(first, given.services);
  }

  /** As iptables-save prints it: chains in the order of their names, with counters and an order of the Services that are the node's own. */
  on(n: number, podChains?: { readonly heads: string; readonly rules: string }): string {
    const own = this.#local === undefined ? [] : tablesOn(this.#local, n);
    const at = `Mon Jan  6 12:00:${String(n % 60).padStart(2, "0")} 2025`;
    return this.#common
      .map((table) => {
        const other = own.find((t) => t.name === table.name);
        const chains = new Map(table.chains.map((c) => [c.name, this.#of(c)]));
        for (const chain of other?.chains ?? []) {
          const before = chains.get(chain.name);
          if (before === undefined) chains.set(chain.name, this.#of(chain));
          else if (/^KUBE-(?:.*SERVICES|NODEPORTS)$/.test(chain.name))
            chains.set(chain.name, joined(before, this.#of(chain)));
        }
        const policies = new Map([...table.chains, ...(other?.chains ?? [])].map((c) => [c.name, c.policy]));
        const names = [...chains.keys()].sort(
          (a, b) => rank(policies.get(a)) - rank(policies.get(b)) || (a < b ? -1 : 1),
        );
        const heads = names.map((name) => {
          const policy = policies.get(name);
          return policy === undefined ? `:${name} - [0:0]` : `:${name} ${policy} [${1000 + n}:${60_000 + n}]`;
        });
        const rules = names.map((name) => inMapOrder(n, name, chains.get(name)!)).join("");
        if (table.name === "nat" && podChains !== undefined)
          return `# Generated by iptables-save v1.8.9 on ${at}\n*${table.name}\n${heads.join("\n")}\n${podChains.heads}${rules}${podChains.rules}COMMIT\n# Completed on ${at}\n`;
        return `# Generated by iptables-save v1.8.9 on ${at}\n*${table.name}\n${heads.join("\n")}\n${rules}COMMIT\n# Completed on ${at}\n`;
      })
      .join("");
  }

  #of(chain: Chain): string {
    let text = this.#texts.get(chain);
    if (text === undefined) {
      text = chain.rules.map((r) => `${printRule(r, chain.name, 4).replace(/^\[\d+:\d+\] /, "")}\n`).join("");
      if (chain.rules.length > 0) this.#texts.set(chain, text);
    }
    return text;
  }
}

const rank = (policy: unknown): number => (policy === undefined ? 1 : 0);

/** Rules of both, the last of the first one last. */
function joined(all: string, more: string): string {
  const lines = more.split("\n").filter((l) => l !== "" && !all.includes(`${l}\n`));
  const last = all.split("\n").find((l) => l.includes(LAST));
  const before = last === undefined ? all : all.replace(`${last}\n`, "");
  return `${before}${lines.map((l) => `${l}\n`).join("")}${last === undefined ? "" : `${last}\n`}`;
}

function addresses(given: DumpCluster, n: number): string {
  const links = Array.from(
    { length: podsOn(given, n) },
    (
      _,
      p,
    ) => `${p + 4}: veth${p}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master cni0 state UP group default
    link/ether ${mac(n, 1, p)} brd ff:ff:ff:ff:ff:ff link-netnsid ${p}
`,
  );
  return `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether ${mac(n, 0, 2)} brd ff:ff:ff:ff:ff:ff
    inet ${nodeAddress(n)}/16 brd 10.0.255.255 scope global eth0
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether ${mac(n, 0, 3)} brd ff:ff:ff:ff:ff:ff
    inet ${network(n)}.1/24 brd ${network(n)}.255 scope global cni0
${links.join("")}`;
}

function routes({ nodes }: DumpCluster, n: number): string {
  const others = Array.from({ length: nodes }, (_, m) => m).filter((m) => m !== n);
  return `default via 10.0.0.1 dev eth0
10.0.0.0/16 dev eth0 proto kernel scope link src ${nodeAddress(n)}
${network(n)}.0/24 dev cni0 proto kernel scope link src ${network(n)}.1
${others.map((m) => `${network(m)}.0/24 via ${nodeAddress(m)} dev eth0\n`).join("")}`;
}

const bridge = (given: DumpCluster, n: number): string =>
  Array.from(
    { length: podsOn(given, n) },
    (
      _,
      p,
    ) => `${p + 4}: veth${p}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 master cni0 state forwarding priority 32 cost 2
    hairpin on guard off root_block off fastleave off learning on flood on mcast_flood on
`,
  ).join("");

const DEVICES = ["all", "default", "lo", "eth0", "cni0"];
const SYSCTLS = `net.ipv4.ip_forward = 1
${DEVICES.map((d) => `net.ipv4.conf.${d}.rp_filter = 0\nnet.ipv4.conf.${d}.accept_local = 0\nnet.ipv4.conf.${d}.route_localnet = 1\nnet.ipv4.conf.${d}.forwarding = 1\n`).join("")}net.bridge.bridge-nf-call-iptables = 1
net.netfilter.nf_conntrack_tcp_be_liberal = 0
`;
const SOCKETS = `State    Recv-Q   Send-Q     Local Address:Port      Peer Address:Port   Process
LISTEN   0        4096                   *:10250                *:*       users:(("kubelet",pid=801,fd=14))
`;

const mac = (n: number, kind: number, p: number): string =>
  `02:${byte(n >> 8)}:${byte(n & 255)}:${byte(kind)}:00:${byte(p)}`;
const podMac = (n: number, p: number): string => `0a:58:${byte(n >> 8)}:${byte(n & 255)}:00:${byte(p)}`;
const nodeMac = (n: number): string => `02:${byte(n >> 8)}:${byte(n & 255)}:00:00:02`;

function neighbours(given: DumpCluster, n: number): string {
  const others = Array.from({ length: given.nodes }, (_, m) => m).filter((m) => m !== n);
  return [
    ...others.map((m) => `${nodeAddress(m)} dev eth0 lladdr ${nodeMac(m)} REACHABLE\n`),
    ...Array.from(
      { length: podsOn(given, n) },
      (_, p) => `${podAddress(n, p)} dev cni0 lladdr ${podMac(n, p)} STALE\n`,
    ),
  ].join("");
}

/** As `bridge fdb` prints it: whom a port has heard, and what each device is itself. */
const forwarding = (given: DumpCluster, n: number): string =>
  `${Array.from(
    { length: podsOn(given, n) },
    (_, p) => `${podMac(n, p)} dev veth${p} master cni0
${mac(n, 1, p)} dev veth${p} master cni0 permanent
${mac(n, 1, p)} dev veth${p} vlan 1 master cni0 permanent
33:33:00:00:00:01 dev veth${p} self permanent
01:00:5e:00:00:01 dev veth${p} self permanent
`,
  ).join("")}${mac(n, 0, 3)} dev cni0 master cni0 permanent\n33:33:00:00:00:01 dev cni0 self permanent\n`;

/** As the bridge plugin's ipMasq writes them: chains are called after a hash, and so are containers. */
function podChains(given: DumpCluster, n: number): { readonly heads: string; readonly rules: string } {
  const hash = (p: number, length: number): string =>
    (Math.imul(n * 256 + p + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0").repeat(8).slice(0, length);
  const all = Array.from({ length: podsOn(given, n) }, (_, p) => p);
  const comment = (p: number): string => `-m comment --comment "name: \\"cbr0\\" id: \\"${hash(p, 64)}\\""`;
  return {
    heads: all.map((p) => `:CNI-${hash(p, 24)} - [0:0]\n`).join(""),
    rules: [
      ...all.map((p) => `-A POSTROUTING -s ${podAddress(n, p)}/32 ${comment(p)} -j CNI-${hash(p, 24)}\n`),
      ...all.flatMap((p) => [
        `-A CNI-${hash(p, 24)} -d ${network(n)}.0/24 ${comment(p)} -j ACCEPT\n`,
        `-A CNI-${hash(p, 24)} ! -d 224.0.0.0/4 ${comment(p)} -j MASQUERADE\n`,
      ]),
    ].join(""),
  };
}

/** The files of the cluster one by one: a hundred nodes are never held at once. */
export function* dumpCluster(
  given: DumpCluster,
  withObjects: boolean,
): Generator<{ readonly path: string; readonly text: string }> {
  if (withObjects) yield { path: "objects.json", text: objectsOf(given, 0, given.services) };
  const programmed = new Programmed(given);
  for (let n = 0; n < given.nodes; n++) {
    const folder = `nodes/${nodeName(n)}`;
    yield { path: `${folder}/ip-addr.txt`, text: addresses(given, n) };
    yield { path: `${folder}/ip-route.txt`, text: routes(given, n) };
    yield { path: `${folder}/bridge-link.txt`, text: bridge(given, n) };
    yield { path: `${folder}/sysctl.txt`, text: SYSCTLS };
    yield { path: `${folder}/ss-lntp.txt`, text: SOCKETS };
    yield {
      path: `${folder}/iptables-save.txt`,
      text: programmed.on(n, given.podChains === true ? podChains(given, n) : undefined),
    };
    if (given.neighbours === true) {
      yield { path: `${folder}/ip-neigh.txt`, text: neighbours(given, n) };
      yield { path: `${folder}/bridge-fdb.txt`, text: forwarding(given, n) };
    }
  }
}
