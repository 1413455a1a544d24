import { describe, expect, test } from "vitest";
import { loadedCase } from "../../packages/case/src/index.ts";
import { Askable, diagnose } from "../../packages/core/src/diagnose/index.ts";

type Files = Readonly<Record<string, string>>;

function asked(files: Files, from: string, to: string) {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  const askable = new Askable(loadedCase({ inputs, notes: [] }), []);
  const { judgement, restsOn, causes } = diagnose(askable, {
    from,
    to,
    proto: "tcp",
  });
  return {
    ...judgement,
    causes: causes.map((c) => c.code),
    restsOn,
    assumed: askable.world.assumptions.map((a) => a.id),
  };
}

const NODES = ["a", "b"]
  .map(
    (name, i) => `apiVersion: v1
kind: Node
metadata: { name: ${name} }
spec: { podCIDR: 10.42.${i}.0/24, podCIDRs: [10.42.${i}.0/24] }
status: { addresses: [{ type: InternalIP, address: 192.0.2.1${i} }] }
`,
  )
  .join("---\n");

describe("a node port of policy Local on a node that shows nat and not filter", () => {
  const OBJECTS = `${NODES}---
apiVersion: v1
kind: Service
metadata: { name: api, namespace: shop }
spec:
  type: NodePort
  clusterIP: 10.43.0.9
  clusterIPs: [10.43.0.9]
  externalTrafficPolicy: Local
  ports: [{ name: main, port: 8443, targetPort: 8080, nodePort: 31555, protocol: TCP }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: api-1, namespace: shop, labels: { kubernetes.io/service-name: api } }
addressType: IPv4
endpoints: [{ addresses: [10.42.1.7], nodeName: b, conditions: { ready: true } }]
ports: [{ name: main, port: 8080, protocol: TCP }]
`;
  const nat = (nodePorts: string, external: string): string => `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-EXT-AAAAAAAAAAAAAAAA - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-SEP-BBBBBBBBBBBBBBBB - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A OUTPUT -j KUBE-SERVICES
${external}${nodePorts}-A KUBE-SEP-BBBBBBBBBBBBBBBB -p tcp -m comment --comment "shop/api:main" -m tcp -j DNAT --to-destination 10.42.1.7:8080
-A KUBE-SERVICES -d 10.43.0.9/32 -p tcp -m comment --comment "shop/api:main cluster IP" -m tcp --dport 8443 -j KUBE-SVC-AAAAAAAAAAAAAAAA
-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-SVC-AAAAAAAAAAAAAAAA -m comment --comment "shop/api:main -> 10.42.1.7:8080" -j KUBE-SEP-BBBBBBBBBBBBBBBB
COMMIT
`;
  const calls = `-A KUBE-NODEPORTS -p tcp -m comment --comment "shop/api:main" -m tcp --dport 31555 -j KUBE-EXT-AAAAAAAAAAAAAAAA\n`;
  const local = `-A KUBE-EXT-AAAAAAAAAAAAAAAA -m comment --comment "route LOCAL traffic for shop/api:main external destinations" -m addrtype --src-type LOCAL -j KUBE-SVC-AAAAAAAAAAAAAAAA\n`;
  const of = (rules: string) =>
    asked(
      { "objects.yaml": OBJECTS, "nodes/a/session.txt": `[root@a ~]# iptables-save -t nat\n${rules}` },
      "198.51.100.7",
      "192.0.2.10:31555",
    );

  test("its nat table says that there is no local endpoint, and the DROP of filter is the other half of it", () => {
    const { verdict, clientSees, causes } = of(nat(calls, local));
    expect({ verdict, clientSees, causes }).toEqual({
      verdict: "unreachable",
      clientSees: "timeout",
      causes: ["ETP_LOCAL_NO_ENDPOINT_IPTABLES"],
    });
  });

  test("where nat has no chain of that Service, kube-proxy need not know of it", () => {
    expect(of(nat("", "")).verdict).toBe("undetermined");
  });
});

describe("a node with flannel's device that shows no nat table", () => {
  const node = (name: string, own: number, other: number): Files => ({
    [`nodes/${name}/session.txt`]: `[root@${name} ~]# ip -d addr
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0 minmtu 0 maxmtu 0
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP group default qlen 1000
    link/ether 52:54:00:00:00:1${own} brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 65535
    inet 192.0.2.1${own}/24 brd 192.0.2.255 scope global eth0
       valid_lft forever preferred_lft forever
3: flannel.1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UNKNOWN group default
    link/ether 52:54:00:00:01:1${own} brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 65535
    vxlan id 1 local 192.0.2.1${own} dev eth0 srcport 0 0 dstport 8472 nolearning ttl auto ageing 300
    inet 10.42.${own}.0/32 scope global flannel.1
       valid_lft forever preferred_lft forever
4: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP group default qlen 1000
    link/ether 52:54:00:00:02:1${own} brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 65535
    bridge forward_delay 1500
    inet 10.42.${own}.1/24 brd 10.42.${own}.255 scope global cni0
       valid_lft forever preferred_lft forever
[root@${name} ~]# ip route
default via 192.0.2.1 dev eth0
10.42.${own}.0/24 dev cni0 proto kernel scope link src 10.42.${own}.1
10.42.${other}.0/24 via 10.42.${other}.0 dev flannel.1 onlink
192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.1${own}
[root@${name} ~]# ip rule
0:	from all lookup local
32766:	from all lookup main
32767:	from all lookup default
`,
  });
  const CLUSTER: Files = { "nodes.yaml": NODES, ...node("a", 0, 1), ...node("b", 1, 0) };
  const SUBNET = (masquerades: boolean): Files => ({
    "nodes/a/subnet.env": `FLANNEL_NETWORK=10.42.0.0/16\nFLANNEL_SUBNET=10.42.0.1/24\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=${masquerades}\n`,
  });

  test("masquerades what pods send to other nodes, so that rp_filter there does not matter; that nat was not shown is said", () => {
    const { verdict, leaning, restsOn, assumed } = asked(CLUSTER, "10.42.0.5", "192.0.2.11:9100");
    expect({ verdict, leaning }).toEqual({ verdict: "undetermined", leaning: "reachable" });
    expect(restsOn.map((r) => r.id)).toContain("a/table/nat");
    expect(assumed).toContain("a/flannel/masquerade");
  });

  test("not where its file says that it does not", () => {
    const { verdict, leaning, assumed } = asked({ ...CLUSTER, ...SUBNET(false) }, "10.42.0.5", "192.0.2.11:9100");
    expect({ verdict, leaning }).toEqual({ verdict: "undetermined", leaning: undefined });
    expect(assumed).not.toContain("a/flannel/masquerade");
    expect(asked({ ...CLUSTER, ...SUBNET(true) }, "10.42.0.5", "192.0.2.11:9100").leaning).toBe("reachable");
  });

  test("pods among themselves keep their addresses", () => {
    const { assumed, leaning } = asked(CLUSTER, "10.42.0.5", "10.42.1.7:80");
    expect(assumed).toContain("a/flannel/masquerade");
    expect(leaning).toBe("reachable");
  });

  test("where nat was shown, it is as it was shown", () => {
    const shown = {
      "nodes/a/iptables-save.txt":
        "*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n",
    };
    expect(asked({ ...CLUSTER, ...shown }, "10.42.0.5", "192.0.2.11:9100").assumed).not.toContain(
      "a/flannel/masquerade",
    );
  });
});

describe("a client that is another node, as a shown tunnel tells", () => {
  const NODE: Files = {
    "session.txt": `[root@b ~]# ip -d addr
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0 minmtu 0 maxmtu 0
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP group default qlen 1000
    link/ether 52:54:00:00:00:11 brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 65535
    inet 192.0.2.11/24 brd 192.0.2.255 scope global eth0
3: flannel.1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UNKNOWN group default
    link/ether 52:54:00:00:01:11 brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 65535
    vxlan id 1 local 192.0.2.11 dev eth0 srcport 0 0 dstport 8472 nolearning ttl auto ageing 300
    inet 10.42.1.0/32 scope global flannel.1
[root@b ~]# ip route show table all
default via 192.0.2.1 dev eth0
192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.11
local 192.0.2.11 dev eth0 table local proto kernel scope host src 192.0.2.11
local 127.0.0.0/8 dev lo table local proto kernel scope host src 127.0.0.1
[root@b ~]# ip rule
0:	from all lookup local
32766:	from all lookup main
32767:	from all lookup default
[root@b ~]# ip neigh
192.0.2.10 dev eth0 lladdr 52:54:00:00:00:10 REACHABLE
192.0.2.20 dev eth0 lladdr 52:54:00:00:00:20 REACHABLE
[root@b ~]# sysctl -a
net.ipv4.ip_forward = 1
net.ipv4.conf.all.rp_filter = 0
net.ipv4.conf.eth0.rp_filter = 0
[root@b ~]# iptables-save
*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]
:KUBE-SEP-BBBBBBBBBBBBBBBB - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A KUBE-SERVICES -d 10.43.0.9/32 -p tcp -m comment --comment "shop/api:main cluster IP" -m tcp --dport 8443 -j KUBE-SVC-AAAAAAAAAAAAAAAA
-A KUBE-SVC-AAAAAAAAAAAAAAAA -j KUBE-SEP-BBBBBBBBBBBBBBBB
-A KUBE-SEP-BBBBBBBBBBBBBBBB -p tcp -m tcp -j DNAT --to-destination 192.0.2.11:8080
COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
COMMIT
[root@b ~]# ss -lnt
State  Recv-Q Send-Q Local Address:Port Peer Address:Port
LISTEN 0      128          0.0.0.0:8080      0.0.0.0:*
[root@b ~]# uname -r
6.1.0
[root@b ~]# bridge fdb
52:54:00:00:01:10 dev flannel.1 dst 192.0.2.10 self permanent
`,
  };

  test("has rules of its own, which nobody showed", () => {
    const { verdict, leaning, restsOn } = asked(NODE, "192.0.2.10", "10.43.0.9:8443");
    expect({ verdict, leaning }).toEqual({ verdict: "undetermined", leaning: "reachable" });
    expect(restsOn.map((r) => [r.id, r.command])).toContainEqual([
      "192.0.2.10/unshown",
      "hairpin collect --ssh 192.0.2.10",
    ]);
  });

  test("another host of that network has none", () => {
    expect(asked(NODE, "192.0.2.20", "10.43.0.9:8443").verdict).toBe("reachable");
  });
});

describe("a Service of which nobody showed the endpoints", () => {
  const SERVICE = `${NODES}---
apiVersion: v1
kind: Service
metadata: { name: api, namespace: shop }
spec: { clusterIP: 10.43.0.9, clusterIPs: [10.43.0.9], selector: { app: api }, ports: [{ port: 80, protocol: TCP }] }
`;
  const none = "apiVersion: discovery.k8s.io/v1\nkind: EndpointSliceList\nitems: []\n";
  // A single one would have been picked.
  const pods = [5, 6]
    .map(
      (n) => `apiVersion: v1
kind: Pod
metadata: { name: db-${n}, namespace: shop, labels: { app: db } }
spec: { nodeName: a }
status: { phase: Running, podIP: 10.42.0.${n}, podIPs: [{ ip: 10.42.0.${n} }], conditions: [{ type: Ready, status: "True" }] }
`,
    )
    .join("---\n");
  const verdictWith = (files: Files): string =>
    asked({ "objects.yaml": SERVICE, ...files }, "node/a", "10.43.0.9:80").verdict;

  test("need not be without any: a list that is not there is not an empty one", () => {
    expect(verdictWith({})).toBe("undetermined");
  });
  test("has none where the list is empty, or no pod of its namespace carries its labels", () => {
    expect(verdictWith({ "slices.yaml": none })).toBe("unreachable");
    expect(verdictWith({ "pods.yaml": pods })).toBe("unreachable");
  });
});

test("nodes that only the pods on them name have addresses that nobody showed: that they cannot send is no answer", () => {
  const objects = `apiVersion: v1
kind: Service
metadata: { name: api, namespace: shop }
spec: { clusterIP: 10.43.0.9, clusterIPs: [10.43.0.9], selector: { app: api }, ports: [{ port: 80, protocol: TCP }] }
---
${["a", "b"]
  .map(
    (node, i) => `apiVersion: v1
kind: Pod
metadata: { name: api-${i}, namespace: shop, labels: { app: api } }
spec: { nodeName: ${node} }
status: { phase: Running, podIP: 10.42.${i}.5, podIPs: [{ ip: 10.42.${i}.5 }], conditions: [{ type: Ready, status: "True" }] }
`,
  )
  .join("---\n")}`;
  expect(asked({ "objects.yaml": objects }, "node/a", "10.43.0.9:80").verdict).toBe("undetermined");
});
