import { dumpCluster } from "@hairpin/testing/dumped/cluster.ts";
import { sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { parseAddress } from "../net/index.ts";
import { readCase } from "../parse/index.ts";
import { type Answer, answerOf, inspect } from "./answer.ts";
import { askedOf, type Flow } from "./plan.ts";
import { sweep } from "./sweep.ts";

type Files = Readonly<Record<string, string>>;

const NODES: readonly number[] = [0, 1, 2];
const SMALL = { nodes: NODES.length, pods: 2, services: 2, nodePorts: 2, faults: [] } as const;

/** The same file of some nodes, said otherwise. */
function edited(files: Files, name: string, change: (text: string, node: number) => string, nodes = NODES): Files {
  const found: Record<string, string> = { ...files };
  for (const n of nodes) {
    const path = `nodes/node-${n}/${name}`;
    const text = change(files[path] ?? "", n);
    expect(text, path).not.toBe(files[path]);
    found[path] = text;
  }
  return found;
}

/** One node's alone. */
const onOne = (files: Files, name: string, change: (text: string) => string): Files => edited(files, name, change, [1]);

const ruled = (chain: string, rule: string) => (text: string) =>
  text.replace(/(\*filter.*?)(\n-A |\nCOMMIT)/s, `$1\n-A ${chain} ${rule}$2`);

const BRIDGED: Files = sweptCluster(SMALL);

/** Each pod behind a veth of its own to which a host route leads, and no bridge. */
const ROUTED: Files = edited(
  edited(
    edited(BRIDGED, "ip-addr.txt", (t) => t.replace(/3: cni0:.*?(?=4: )/s, "").replaceAll(" master cni0", "")),
    "bridge-link.txt",
    () => "",
  ),
  "ip-route.txt",
  (t, n) => t.replace(/^.* dev cni0 .*$/m, `10.128.${n}.10 dev veth0 scope link\n10.128.${n}.11 dev veth1 scope link`),
);

const SIX: Files = sweptCluster({ ...SMALL, services: 1, nodePorts: 1, family: 6 });

/** Nodes that have the same faults in the same places. */
const EVERYWHERE = (kind: "kubelet-down"): Files =>
  sweptCluster({ ...SMALL, faults: NODES.map((at) => ({ kind, at })) });

/** The address of the second node, on a dummy device. */
const bound = (text: string): string =>
  `${text}91: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default
    link/ether 02:00:01:00:00:91 brd ff:ff:ff:ff:ff:ff
    inet 10.0.1.11/32 scope global kube-ipvs0
`;

const IN_IPVS: Files = sweptCluster({ ...SMALL, mode: "ipvs" });
const withoutServers = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith("ipvsadm-save.txt")));
const servers = (address: string, inactive: number): string => `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  ${address} rr
  -> 10.128.0.11:8080             Masq    0      0          ${inactive}
  -> 10.128.1.11:8080             Masq    1      0          0
`;

const withoutProxy = (text: string): string =>
  text.replace(/^(?::KUBE-|-A KUBE-|-A (?:PREROUTING|OUTPUT|POSTROUTING) .*KUBE-).*\n/gm, "");

const PROXY = (n: number, ready: boolean): string => `- apiVersion: v1
  kind: Pod
  metadata: { name: kube-proxy-${n}, namespace: kube-system }
  spec: { nodeName: node-${n}, hostNetwork: true, containers: [{ name: c }] }
  status: { podIP: "10.0.1.1${n}", phase: Running, conditions: [{ type: Ready, status: "${ready ? "True" : "False"}" }] }
`;

const RULES = (rule: string): string =>
  `0:\tfrom all lookup local\n${rule}32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n`;

const told = ({ verdict, clientSees, leaning, causes }: Answer): unknown => [
  verdict,
  clientSees,
  leaning,
  causes.map((c) => `${c.code} ${c.certainty}`),
];

function askableOf(files: Files): Askable {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
}

describe("flows that only look alike", () => {
  it.each<readonly [string, Files]>([
    [
      "two addresses of one node, of which one is refused",
      edited(
        edited(BRIDGED, "ip-addr.txt", (t, n) =>
          t.replace(/( {4}inet 10\.0\.\S+\/16 .*\n)/, `$1    inet 10.1.0.${n + 10}/16 scope global eth0\n`),
        ),
        "iptables-save.txt",
        (t, n) => ruled("INPUT", `-d 10.1.0.${n + 10}/32 -j REJECT --reject-with icmp-port-unreachable`)(t),
      ),
    ],
    [
      "two external addresses of one Service, of which one is not translated",
      edited(
        {
          ...BRIDGED,
          "objects.yaml": BRIDGED["objects.yaml"]!.replaceAll(
            "    type: NodePort\n",
            '    type: NodePort\n    externalIPs: ["10.0.77.7", "10.0.77.8"]\n',
          ),
        },
        "iptables-save.txt",
        (t) =>
          t.replace(
            /-A KUBE-SERVICES -d 10\.96\.0\.2\/32 (.*)\n/,
            "-A KUBE-SERVICES -d 10.96.0.2/32 $1\n-A KUBE-SERVICES -d 10.0.77.7/32 $1\n",
          ),
      ),
    ],
    ["pods to whom routes lead by one veth", onOne(ROUTED, "ip-route.txt", (t) => t.replace("dev veth1", "dev veth0"))],
    [
      "a node that does not find the next hop to a Service's endpoints",
      {
        ...sweptCluster({ ...SMALL, nodes: 5, pods: 1, services: 1 }),
        "nodes/node-3/ip-neigh.txt":
          "10.0.1.10 dev eth0 FAILED\n10.0.1.11 dev eth0 FAILED\n10.0.1.12 dev eth0 FAILED\n",
        "nodes/node-4/ip-neigh.txt": [0, 1, 2]
          .map((n) => `10.0.1.1${n} dev eth0 lladdr 02:00:0${n}:00:00:02 REACHABLE\n`)
          .join(""),
      },
    ],
    [
      "a pod without an object, of which another node has heard",
      onOne(
        Object.fromEntries(Object.entries(ROUTED).filter(([path]) => path !== "objects.yaml")),
        "ip-neigh.txt",
        () => "10.128.2.10 dev eth0 lladdr 0a:00:00:02:00:00 REACHABLE\n",
      ),
    ],
    [
      "a pod whose veth a routing rule names",
      onOne(ROUTED, "ip-rule.txt", () => RULES("100:\tfrom all iif veth1 blackhole\n")),
    ],
    [
      "pods of which `kubectl exec` showed the sockets, and nothing else",
      {
        ...BRIDGED,
        "session.txt": [8080, 9090]
          .map(
            (port, n) =>
              `$ kubectl exec -n shop pod-${n}-0 -- ss -lnt\nState    Recv-Q   Send-Q     Local Address:Port      Peer Address:Port   Process\nLISTEN   0        4096                   *:${port}                *:*\n\n`,
          )
          .join(""),
      },
    ],
    ["nodes that answer, of which a third has bound one's address, too", edited(BRIDGED, "ip-addr.txt", bound, [2])],
    [
      "nodes that do not answer, of which a third has bound one's address, too",
      edited(EVERYWHERE("kubelet-down"), "ip-addr.txt", bound, [2]),
    ],
    [
      "nodes of which one has taken a server out that old connections still go to",
      edited(
        edited(withoutServers(IN_IPVS), "ipvsadm-ln.txt", (_, n) => servers(`10.0.1.1${n}:30001`, n === 2 ? 5 : 0)),
        "sysctl.txt",
        (t) => `${t.replace(/net\.ipv4\.vs\.conn_reuse_mode.*\n/, "")}net.ipv4.vs.conn_reuse_mode = 0\n`,
      ),
    ],
    [
      "a pod that a rule names which has dropped, in a chain that nothing shown leads to",
      {
        ...Object.fromEntries(Object.entries(BRIDGED).filter(([path]) => !path.endsWith("iptables-save.txt"))),
        "nodes/node-0/iptables-nvL-policy.txt": `$ iptables -t filter -nvL POLICY
Chain POLICY (1 references)
 pkts bytes target     prot opt in     out     source               destination
    5   300 DROP       all  --  *      *       10.128.1.10          0.0.0.0/0
`,
      },
    ],
    [
      "nodes without rules of kube-proxy, of which one's is known not to be ready",
      {
        ...edited(BRIDGED, "iptables-save.txt", withoutProxy, [1, 2]),
        "objects.yaml": `${BRIDGED["objects.yaml"]!}${PROXY(1, true)}${PROXY(2, false)}`,
      },
    ],
    [
      "no node that translates by one that has no rules of kube-proxy, and comes by it later",
      edited(
        Object.fromEntries(
          [...dumpCluster({ nodes: 5, pods: 1, services: 4, endpoints: 1, local: 0 }, false)].map((d) => [
            d.path,
            d.text,
          ]),
        ),
        "iptables-save.txt",
        withoutProxy,
        [3],
      ),
    ],
    [
      "pods without a route to them, of whom it is known whose network they are in, or not",
      {
        ...edited(ROUTED, "ip-route.txt", (t) => t.replace(/^.* via 10\.0\.1\.\d+ dev eth0\n/gm, ""), [0]),
        "objects.yaml": BRIDGED["objects.yaml"]!.replace('  spec: { podCIDR: "10.128.2.0/24" }\n', ""),
      },
    ],
    [
      "flows that one rule drops, behind which others are dropped or not",
      edited(
        SIX,
        "ip6tables-save.txt",
        ruled("FORWARD", "-m iprange --src-range fd00:244:1:1::-fd00:244:1:2::ff -j DROP"),
      ),
    ],
  ])(
    "%s",
    (_, files) => {
      const askable = askableOf(files);
      const alone = askableOf(files);
      const members: { flow: Flow; id: string }[] = [];
      const walking = sweep(askable, { member: (flow, id) => members.push({ flow, id }) });
      let step = walking.next();
      while (step.done !== true) step = walking.next();
      const { classes, flows } = step.value;
      const byId = new Map(classes.map((c) => [c.id, c]));
      const fates = new Set<string>();
      for (const { flow, id } of members) {
        const asked = askedOf(flow);
        const own = told(answerOf(inspect(alone, asked), alone.world));
        expect([asked, told(byId.get(id)!)]).toEqual([asked, own]);
        fates.add(JSON.stringify(own));
      }
      // Else nothing is told apart, or nobody is told by another.
      expect(fates.size).toBeGreaterThan(1);
      expect(classes.length).toBeLessThan(flows);
    },
    60_000,
  );

  it("a client of a load balancer that sends to its node, and one of another node", () => {
    const askable = askableOf(BRIDGED);
    const [node] = askable.world.stacks;
    const balancer = {
      address: parseAddress("10.0.50.2")!,
      ports: [{ port: 80, protocol: 6, targetPort: 30_009 }],
      targets: ["node-1"],
      preserveClient: "?" as const,
      vipBoundOnNode: "?" as const,
      origin: node!.origin,
    };
    const world = { ...askable.world, loadBalancers: [balancer] };
    const members: { flow: Flow; id: string }[] = [];
    const walking = sweep(askable, { world, to: ["loadbalancer"], member: (flow, id) => members.push({ flow, id }) });
    let step = walking.next();
    while (step.done !== true) step = walking.next();
    const byId = new Map(step.value.classes.map((c) => [c.id, c]));
    for (const { flow, id } of members) {
      const asked = askedOf(flow);
      const own = told(answerOf(inspect(askable, asked, world), world));
      expect([asked, told(byId.get(id)!)]).toEqual([asked, own]);
    }
    expect(members.length).toBeGreaterThan(step.value.classes.length);
  });
});
