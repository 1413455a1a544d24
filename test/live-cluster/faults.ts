import { MANY, type Probe, to, toOne, toOneUdp, toPod, toWeb } from "./probes.ts";

/** Where a line of shell runs: on a node, in the network of a pod there, beside them all, or as kubectl. */
export type Line = readonly [where: string, shell: string];

export interface Fault {
  readonly name: string;
  readonly modes?: readonly string[];
  readonly plant: readonly Line[];
  readonly undo: readonly Line[];
  readonly probes: readonly Probe[];
  /** Of a flow that fails by it one of these is named. */
  readonly causes: readonly string[];
}

const [a, b, c] = ["pod/shop/client-a", "pod/shop/client-b", "pod/shop/client-c"] as const;
const nodePort = (id: string): Probe => to(id, "ext", "10.200.0.11:30080", { n: MANY });

/** `rule` put in and taken out again. */
const rule = (where: string, table: string, chain: string, words: string): Pick<Fault, "plant" | "undo"> => ({
  plant: [[where, `iptables -w -t ${table} -I ${chain} 1 ${words}`]],
  undo: [[where, `iptables -w -t ${table} -D ${chain} ${words}`]],
});
const sysctl = (where: string, name: string, value: number, usual: number): Pick<Fault, "plant" | "undo"> => ({
  plant: [[where, `sysctl -qw ${name}=${value}`]],
  undo: [[where, `sysctl -qw ${name}=${usual}`]],
});
const STOP: Line = ["node-a", "kill -STOP $(pgrep -x kube-proxy)"];
const GO_ON: Line = ["node-a", "kill -CONT $(pgrep -x kube-proxy)"];
/** What connection tables keep of tries that failed speaks of a fault that is no more. */
export const FORGOTTEN: readonly Line[] = ["node-a", "node-b", "node-c"].map((node) => [
  node,
  "conntrack -F >/dev/null 2>&1; true",
]);
/** The host's end of the pair that leads to the pod's eth0. */
const portOf = (name: string): string =>
  `ip -o link | sed -n "s/^$(nsenter -t $(pgrep -f '[p]robe serve ${name} ') -n ip -o link show eth0 | sed 's/.*eth0@if\\([0-9]*\\).*/\\1/'): \\([^@:]*\\).*/\\1/p"`;

export const FAULTS: readonly Fault[] = [
  {
    name: "FORWARD drops by policy, the CNI's accept is gone",
    plant: [
      ["node-b", "iptables -w -P FORWARD DROP"],
      ["node-b", "iptables -w -D FORWARD -m comment --comment 'flanneld forward' -j FLANNEL-FWD"],
    ],
    undo: [
      ["node-b", "iptables -w -P FORWARD ACCEPT"],
      ["node-b", "iptables -w -A FORWARD -m comment --comment 'flanneld forward' -j FLANNEL-FWD"],
    ],
    probes: [
      toOne("remote", a),
      toOne("same node", b),
      nodePort("node port"),
      to("node port there", "ext", "10.200.0.12:30081"),
      toOne("from that node", "node/node-b"),
      toOneUdp("UDP", c),
    ],
    causes: ["FORWARD_POLICY_DROP"],
  },
  {
    name: "no route to a node's pods",
    plant: [["node-a", "ip route del 10.244.1.0/24"]],
    undo: [["node-a", "ip route replace 10.244.1.0/24 via 10.200.0.12 dev eth0"]],
    // What is left is the default route, to a router that nobody shows.
    probes: [
      toOne("pod", a),
      toWeb("some endpoints", a),
      toPod("back", b, "web-a"),
      toWeb("back, some endpoints", b),
    ].map((p) => ({ ...p, open: "whether the router knows a way to pods" })),
    causes: ["NO_ROUTE", "WRONG_POD_ROUTE", "ROUTING_LOOP"],
  },
  {
    name: "replies are filtered",
    ...rule("node-a", "filter", "FORWARD", "-s 10.244.1.0/24 -p tcp --sport 8080 -m conntrack ! --ctstate NEW -j DROP"),
    probes: [toOne("pod", a), toOneUdp("UDP", a), toOne("node", "node/node-a"), nodePort("node port")],
    causes: ["RULE_DROP"],
  },
  {
    name: "strict rp_filter, and the way back is another",
    plant: [
      ["host", "ip -n hpc-node-a link add eth1 type veth peer name eth1 netns hpc-node-b"],
      ["node-a", "ip addr add 10.201.0.11/24 dev eth1 && ip link set eth1 up"],
      [
        "node-b",
        "ip addr add 10.201.0.12/24 dev eth1 && ip link set eth1 up && sysctl -qw net.ipv4.conf.eth1.rp_filter=1",
      ],
      ["node-a", "ip route replace 10.244.1.0/24 via 10.201.0.12 dev eth1"],
    ],
    undo: [
      ["node-a", "ip route replace 10.244.1.0/24 via 10.200.0.12 dev eth0"],
      ["node-a", "ip link del eth1"],
    ],
    probes: [
      toOne("pod", a),
      toOne("node", "node/node-a"),
      toOne("other node", c),
      nodePort("node port"),
      toPod("direct", a, "one-b"),
    ],
    causes: ["RP_FILTER_STRICT"],
  },
  {
    name: "kube-proxy stands still, the endpoint is another",
    plant: [
      STOP,
      ["kubectl", "get pod one-b -n shop -o json > $DIR/one-b.json"],
      ["kubectl", "delete pod one-b -n shop"],
      ["kubectl", "apply -f $DIR/one-b.json"],
      ["kubectl", "wait -n shop pod/one-b --for=condition=Ready --timeout=60s"],
      ["host", "sleep 3"],
    ],
    undo: [GO_ON, ["host", "sleep 3"]],
    probes: [toOne("stale", a), toOne("fresh", c), toOneUdp("stale, UDP", a), toOne("stale, node", "node/node-a")],
    causes: ["STALE_ENDPOINT", "KUBE_PROXY_DRIFT"],
  },
  {
    name: "the node does not forward",
    ...sysctl("node-b", "net.ipv4.ip_forward", 0, 1),
    probes: [
      toOne("remote", a),
      toOne("same node", b),
      toOne("from that node", "node/node-b"),
      toWeb("some endpoints", a),
    ],
    causes: ["IP_FORWARD_OFF"],
  },
  {
    name: "blackhole route",
    plant: [["node-a", "ip route replace blackhole 10.244.1.0/24"]],
    undo: [["node-a", "ip route replace 10.244.1.0/24 via 10.200.0.12 dev eth0"]],
    probes: [toOne("pod", a), toOne("node", "node/node-a"), toOne("elsewhere", c)],
    causes: ["BLACKHOLE_ROUTE"],
  },
  {
    name: "dropped in raw PREROUTING",
    ...rule("node-a", "raw", "PREROUTING", "-p tcp --dport 30080 -j DROP"),
    probes: [
      nodePort("node port"),
      to("another node's", "ext", "10.200.0.13:30080", { n: MANY }),
      toWeb("cluster IP", a),
    ],
    causes: ["RAW_TABLE_FILTER", "RULE_DROP"],
  },
  {
    name: "nobody masquerades what leaves the pod network",
    ...rule("node-b", "nat", "FLANNEL-POSTRTG", "-s 10.244.0.0/16 ! -d 10.244.0.0/16 -j RETURN"),
    probes: [
      to("to the world outside", b, "192.0.2.10:7070", { open: "whether the world outside knows a way to pods" }),
      toOne("inside", b),
      to("elsewhere", a, "192.0.2.10:7070", { open: "what the world outside does" }),
      to("to a node", b, "10.200.0.13:9090"),
    ],
    causes: ["MASQ_MISSING_NAT_OUTGOING"],
  },
  {
    name: "the client pod lost its default route",
    plant: [["pod/node-a/[s]leep 1000000", "ip route del default"]],
    undo: [["pod/node-a/[s]leep 1000000", "ip route replace default via 10.244.0.1"]],
    probes: [toOne("Service", a), toPod("same node", a, "web-a"), toOne("from its node", "node/node-a")],
    causes: ["NO_ROUTE"],
  },
  {
    name: "the Service names a port where nobody listens",
    plant: [
      [
        "kubectl",
        `patch svc one -n shop --type=merge -p '{"spec":{"ports":[{"port":80,"targetPort":8099,"protocol":"TCP"}]}}'`,
      ],
      ["host", "sleep 3"],
    ],
    undo: [
      [
        "kubectl",
        `patch svc one -n shop --type=merge -p '{"spec":{"ports":[{"port":80,"targetPort":8080,"protocol":"TCP"}]}}'`,
      ],
      ["host", "sleep 3"],
    ],
    probes: [toOne("pod", a), toOne("same node", b), toOne("node", "node/node-c"), toPod("the pod itself", a, "one-b")],
    causes: ["NO_LISTENER", "TARGET_PORT_MISMATCH"],
  },
  {
    name: "a NetworkPolicy that nobody enforces",
    plant: [
      [
        "kubectl",
        `apply -f - <<'X'
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"none","namespace":"shop"},"spec":{"podSelector":{},"policyTypes":["Ingress","Egress"]}}
X`,
      ],
    ],
    undo: [["kubectl", "delete networkpolicy none -n shop"]],
    probes: [toOne("pod", a), toWeb("several", b), toOne("node", "node/node-a")],
    causes: [],
  },
  {
    name: "no hairpin on the port of the bridge",
    plant: [["node-b", `bridge link set dev $(${portOf("one-b")}) hairpin off`]],
    undo: [["node-b", `bridge link set dev $(${portOf("one-b")}) hairpin on`]],
    probes: [toOne("a pod to itself", "pod/shop/one-b"), toOne("from beside it", b), toOne("from elsewhere", a)],
    causes: ["HAIRPIN_OFF"],
  },
  {
    name: "the server pod filters",
    ...rule("pod/node-b/[p]robe serve one-b ", "filter", "INPUT", "-p tcp --dport 8080 -j DROP"),
    probes: [toOne("pod", a), toOneUdp("UDP", a), toOne("node", "node/node-b"), toWeb("another Service", a)],
    causes: ["RULE_DROP"],
  },
  {
    name: "a wrong permanent neighbour",
    plant: [["node-a", "ip neigh replace 10.200.0.12 lladdr 02:00:00:00:00:99 nud permanent dev eth0"]],
    undo: [["node-a", "ip neigh del 10.200.0.12 dev eth0"]],
    probes: [
      { ...toOne("pod", a), open: "who has that address, and what it does with the frame" },
      toOne("elsewhere", c),
      { ...toWeb("some endpoints", a), open: "who has that address, and what it does with the frame" },
    ],
    causes: ["L2_PATH", "NEIGHBOUR_FAILED"],
  },
  {
    name: "a rule sends the pods to a table without a way",
    plant: [
      ["node-a", "ip route add unreachable default table 100"],
      ["node-a", "ip rule add from 10.244.0.0/24 to 10.244.1.0/24 lookup 100 pref 1000"],
    ],
    undo: [
      ["node-a", "ip rule del pref 1000"],
      ["node-a", "ip route del unreachable default table 100"],
    ],
    probes: [toOne("pod", a), toOne("node", "node/node-a"), toPod("direct", a, "web-b")],
    causes: ["BLACKHOLE_ROUTE", "POLICY_ROUTE_POD_SOURCE", "NO_ROUTE"],
  },
  {
    name: "rejected with a reset",
    ...rule("node-b", "filter", "FORWARD", "-p tcp --dport 8080 -d 10.244.1.0/24 -j REJECT --reject-with tcp-reset"),
    probes: [toOne("pod", a), toOneUdp("UDP", a), toOne("node", "node/node-b"), nodePort("node port")],
    causes: ["RULE_DROP"],
  },
  {
    name: "the server's link is down",
    plant: [["node-b", `ip link set $(${portOf("one-b")}) down`]],
    undo: [["node-b", `ip link set $(${portOf("one-b")}) up`]],
    probes: [toOne("pod", a), toOne("beside it", b), toOne("its node", "node/node-b"), toWeb("another Service", a)],
    causes: ["LINK_DOWN"],
  },
  {
    name: "not tracked, so not translated",
    ...rule("node-a", "raw", "PREROUTING", "-d 10.96.10.2 -p tcp --dport 80 -j CT --notrack"),
    probes: [toOne("pod", a), toOne("node", "node/node-a"), toOne("elsewhere", c)],
    causes: ["NOTRACK_VS_POLICY", "RAW_TABLE_FILTER", "SERVICE_NOT_PROGRAMMED_HERE"],
  },
  {
    name: "kube-proxy stands still, a Service's rule is gone",
    modes: ["iptables"],
    plant: [
      STOP,
      [
        "node-a",
        "iptables-save -t nat | sed -n 's/^-A \\(KUBE-SERVICES .*10.96.10.2.32.*\\)/-D \\1/p' | xargs -r -L1 iptables -w -t nat",
      ],
    ],
    undo: [GO_ON, ["node-a", "kill $(pgrep -x kube-proxy)"], ["host", "sleep 8"]],
    probes: [toOne("pod", a), toOne("node", "node/node-a"), toOne("elsewhere", c), toWeb("another Service", a)],
    causes: ["SERVICE_NOT_PROGRAMMED_HERE", "KUBE_PROXY_DRIFT"],
  },
  {
    name: "kube-proxy stands still, a Service's element is gone",
    modes: ["nftables"],
    plant: [STOP, ["node-a", "nft delete element ip kube-proxy service-ips '{ 10.96.10.2 . tcp . 80 }'"]],
    undo: [GO_ON, ["node-a", "kill $(pgrep -x kube-proxy)"], ["host", "sleep 8"]],
    probes: [toOne("pod", a), toOne("node", "node/node-a"), toOne("elsewhere", c), toWeb("another Service", a)],
    causes: ["SERVICE_NOT_PROGRAMMED_HERE", "KUBE_PROXY_DRIFT"],
  },
];
