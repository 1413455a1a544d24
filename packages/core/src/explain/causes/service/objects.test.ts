import { ADDRESSES, ask, filter, NODE, nat, POD, ROUTES, SYSCTLS, toService } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";
import { check } from "../../../check/index.ts";
import { readCase } from "../../../parse/index.ts";

const curl = (to: string) => `$ curl -m 5 http://${to}/\ncurl: (28) Connection timed out after 5001 milliseconds\n`;

const node = (name: string, publicIp: string, mac: string, internal = publicIp) => `apiVersion: v1
kind: Node
metadata:
  name: ${name}
  annotations:
    flannel.alpha.coreos.com/backend-type: vxlan
    flannel.alpha.coreos.com/backend-data: '{"VNI":1,"VtepMAC":"${mac}"}'
    flannel.alpha.coreos.com/public-ip: ${publicIp}
spec:
  podCIDR: 10.244.${name === "a" ? 1 : 2}.0/24
status:
  addresses:
  - address: ${internal}
    type: InternalIP
`;
const nodes = (...list: string[]) => ({ ...NODE, "nodes.yaml": list.join("---\n") });

describe("DUPLICATE_VTEP_MAC", () => {
  const mac = "fe:00:00:00:00:01";
  test("two nodes' tunnel ends have one MAC", () => {
    const files = nodes(node("a", "10.0.0.1", mac), node("b", "10.0.0.2", mac));
    expect(ask(files, toService()).claims).toContain("DUPLICATE_VTEP_MAC possible");
    const seen = { ...files, "nodes/a/curl.txt": curl("10.96.0.20") };
    expect(ask(seen, toService("node/a")).claims).toContain("DUPLICATE_VTEP_MAC inferred");
  });
  test("guard: one MAC each, one node shown twice, a flow within the node", () => {
    const fine = nodes(node("a", "10.0.0.1", mac), node("b", "10.0.0.2", "fe:00:00:00:00:02"));
    expect(ask(fine, toService()).codes).not.toContain("DUPLICATE_VTEP_MAC");
    const vtep = `${ADDRESSES}6: flannel.1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450
    link/ether ${mac} brd ff:ff:ff:ff:ff:ff
    vxlan id 1 local 10.0.0.1 dev eth0 srcport 0 0 dstport 8472 nolearning
`;
    const twice = { ...nodes(node("a", "10.0.0.1", mac)), "nodes/a/ip-d-addr.txt": vtep, "nodes/a/ip-addr.txt": "" };
    expect(ask(twice, toService()).codes).not.toContain("DUPLICATE_VTEP_MAC");
    const within = {
      ...nodes(node("a", "10.0.0.1", mac), node("b", "10.0.0.2", mac)),
      "nodes/a/iptables-save.txt": nat("10.244.1.6") + filter(),
    };
    expect(ask(within, toService()).codes).not.toContain("DUPLICATE_VTEP_MAC");
  });
});

describe("WRONG_UNDERLAY_INTERFACE", () => {
  test("nodes that registered one address", () => {
    const files = nodes(
      node("a", "10.9.2.15", "fe:00:00:00:00:01", "10.0.0.1"),
      node("b", "10.9.2.15", "fe:00:00:00:00:02", "10.0.0.2"),
    );
    expect(ask(files, toService()).causes.find((c) => c.code === "WRONG_UNDERLAY_INTERFACE")?.said).toContain("a, b");
  });
  test("a node whose tunnel begins at another address than the cluster knows", () => {
    const files = nodes(
      node("a", "10.9.2.15", "fe:00:00:00:00:01", "10.0.0.1"),
      node("b", "10.0.0.2", "fe:00:00:00:00:02"),
    );
    expect(ask(files, toService()).codes).toContain("WRONG_UNDERLAY_INTERFACE");
  });
  test("a forwarding entry that points to the node itself", () => {
    const vtep = `${ADDRESSES}6: flannel.1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450
    link/ether fe:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    vxlan id 1 local 10.0.0.1 dev eth0 srcport 0 0 dstport 8472 nolearning
`;
    const fdb = (to: string) => ({
      ...NODE,
      "nodes/a/ip-addr.txt": "",
      "nodes/a/ip-d-addr.txt": vtep,
      "nodes/a/bridge-fdb.txt": `fe:00:00:00:00:02 dev flannel.1 dst ${to} self permanent\n`,
    });
    expect(ask(fdb("10.0.0.1"), toService()).codes).toContain("WRONG_UNDERLAY_INTERFACE");
    expect(ask(fdb("10.0.0.2"), toService()).codes).not.toContain("WRONG_UNDERLAY_INTERFACE");
  });
  test("guard: each has its own", () => {
    const files = nodes(node("a", "10.0.0.1", "fe:00:00:00:00:01"), node("b", "10.0.0.2", "fe:00:00:00:00:02"));
    expect(ask(files, toService()).codes).not.toContain("WRONG_UNDERLAY_INTERFACE");
  });
});

const service = (more = "") => `apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: default
spec:
  type: ClusterIP
  clusterIP: 10.96.0.20
  clusterIPs: ["10.96.0.20"]
  ${more}ports:
  - port: 80
    protocol: TCP
    targetPort: 8080
`;
const slice = (address: string, ready: boolean, family = "IPv4") => `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: web-1
  namespace: default
  labels:
    kubernetes.io/service-name: web
addressType: ${family}
ports:
- port: 8080
  protocol: TCP
endpoints:
- addresses: ["${address}"]
  conditions:
    ready: ${ready}
    serving: ${ready}
    terminating: false
`;

describe("NO_ENDPOINTS by the objects", () => {
  const objects = (ready: boolean) => ({ "objects.yaml": `${service()}---\n${slice("10.244.2.7", ready)}` });
  test("no endpoint is ready", () => {
    expect(ask({ ...objects(false), "nodes/a/ip-addr.txt": ADDRESSES }, toService()).codes).toContain("NO_ENDPOINTS");
  });
  test("guard: one is ready, or none was shown", () => {
    expect(ask({ ...NODE, ...objects(true) }, toService()).codes).not.toContain("NO_ENDPOINTS");
    expect(ask({ ...NODE, "objects.yaml": service() }, toService()).codes).not.toContain("NO_ENDPOINTS");
  });
});

describe("IP_FAMILY_MISMATCH", () => {
  test("all endpoints are of the other family", () => {
    const files = { ...NODE, "objects.yaml": `${service()}---\n${slice("fd00::7", true, "IPv6")}` };
    expect(ask(files, toService()).codes).toContain("IP_FAMILY_MISMATCH");
  });
  test("guard: one is of the family that was called", () => {
    const files = { ...NODE, "objects.yaml": `${service()}---\n${slice("10.244.2.7", true)}` };
    expect(ask(files, toService()).codes).not.toContain("IP_FAMILY_MISMATCH");
  });
});

describe("CIDR_OVERLAP and MASQ_MISSING_NAT_OUTGOING", () => {
  const pool = (cidr: string, natOutgoing: boolean) => `apiVersion: crd.projectcalico.org/v1
kind: IPPool
metadata:
  name: default
spec:
  cidr: ${cidr}
  natOutgoing: ${natOutgoing}
`;
  const host = { from: POD, to: "10.0.0.77:22" };
  test("the pool covers the nodes' own network", () => {
    expect(ask({ ...NODE, "ippool.yaml": pool("10.0.0.0/8", true) }, host).codes).toContain("CIDR_OVERLAP");
  });
  test("guard: a pool beside it", () => {
    expect(ask({ ...NODE, "ippool.yaml": pool("10.244.0.0/16", true) }, host).codes).not.toContain("CIDR_OVERLAP");
  });
  test("natOutgoing off matters only where the flow was seen to fail", () => {
    const off = { ...NODE, "ippool.yaml": pool("10.244.0.0/16", false) };
    const outside = { from: POD, to: "192.0.2.1:80" };
    expect(ask(off, outside).codes).not.toContain("MASQ_MISSING_NAT_OUTGOING");
    const failed = `$ tcpdump -nn -i eth0 host 192.0.2.1
listening on eth0, link-type EN10MB (Ethernet), capture size 262144 bytes
10:00:00.000001 IP 10.244.1.5.40000 > 192.0.2.1.80: Flags [S], seq 10, win 64240, length 0
10:00:01.000001 IP 10.244.1.5.40000 > 192.0.2.1.80: Flags [S], seq 10, win 64240, length 0
`;
    const seen = { ...off, "nodes/a/tcpdump.txt": failed };
    expect(ask(seen, outside).claims).toContain("MASQ_MISSING_NAT_OUTGOING inferred");
    const on = { ...seen, "ippool.yaml": pool("10.244.0.0/16", true) };
    expect(ask(on, outside).codes).not.toContain("MASQ_MISSING_NAT_OUTGOING");
  });
});

describe("LEGACY_NFT_CONFLICT", () => {
  const both = (legacy: string) => ({
    ...NODE,
    "nodes/a/iptables-save.txt": "",
    "nodes/a/iptables-nft-save.txt": nat() + filter(),
    "nodes/a/iptables-legacy-save.txt": legacy,
    "nodes/a/curl.txt": curl("10.96.0.20"),
  });
  test("kube-proxy's rules in both, with other endpoints", () => {
    expect(ask(both(nat("10.244.2.99") + filter()), toService("node/a")).codes).toContain("LEGACY_NFT_CONFLICT");
  });
  test("those of one send it where nobody is: proven, where the other's would do", () => {
    const files = {
      ...both(nat("10.244.3.99") + filter()),
      "nodes/a/curl.txt": "",
      "nodes/a/ip-route.txt": `${ROUTES}blackhole 10.244.3.0/24\n`,
    };
    const stale = "assume:\n  a/netfilter/registered-first: nft\n";
    expect(ask(files, toService(), stale).claims).toContain("LEGACY_NFT_CONFLICT proven");
    const fine = "assume:\n  a/netfilter/registered-first: legacy\n";
    expect(ask(files, toService(), fine).claims).toEqual([]);
  });
  test("guard: empty legacy tables, or the same endpoints", () => {
    expect(ask(both(filter()), toService("node/a")).codes).not.toContain("LEGACY_NFT_CONFLICT");
    expect(ask(both(nat() + filter()), toService("node/a")).codes).not.toContain("LEGACY_NFT_CONFLICT");
  });
});

describe("what is not understood", () => {
  const nft = `table inet site {
	chain input {
		type filter hook input priority 10; policy accept;
		tcp dport 8080 drop
	}
}
`;
  test("NEIGHBOUR_DISCOVERY_FILTERED: a table of ARP that drops", () => {
    const arp = "table arp site {\n\tchain in {\n\t\ttype filter hook input priority 0; policy drop;\n\t}\n}\n";
    const { verdict, codes } = ask({ ...NODE, "nodes/a/nft-list-ruleset.txt": arp }, toService());
    expect(verdict).toBe("unreachable");
    expect(codes).toEqual(["NEIGHBOUR_DISCOVERY_FILTERED"]);
  });
  test("NFT_SECOND_TABLE_DROP: another table drops what one accepted at the same hook", () => {
    const forward = (verdict: string) =>
      `${nft.replaceAll("input", "forward").replace("drop", verdict)}table inet own {
	chain forward {
		type filter hook forward priority 0; policy accept;
		tcp dport 8080 accept
	}
}
`;
    const asked = (verdict: string) => ask({ ...NODE, "nodes/a/nft-list-ruleset.txt": forward(verdict) }, toService());
    const { verdict, causes } = asked("drop");
    expect(verdict).toBe("unreachable");
    expect(causes[0]).toMatchObject({
      code: "NFT_SECOND_TABLE_DROP",
      lines: ["tcp dport 8080 drop", "tcp dport 8080 accept"],
    });
    expect(asked("accept").codes).not.toContain("NFT_SECOND_TABLE_DROP");
  });
  test("DATAPATH_NOT_MODELLED: a program on the way", () => {
    const xdp = ADDRESSES.replace(
      "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc",
      "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 xdp/id:42 qdisc",
    );
    expect(ask({ ...NODE, "nodes/a/ip-addr.txt": xdp }, toService()).codes).toContain("DATAPATH_NOT_MODELLED");
  });
  test("RULE_UNKNOWN: a match that is not understood, and its guard", () => {
    const rule = (dst: string) => filter(`-A FORWARD -d ${dst} -m bpf --object-pinned /sys/fs/bpf/x -j DROP\n`);
    const met = ask({ ...NODE, "nodes/a/iptables-save.txt": nat() + rule("10.244.2.7/32") }, toService());
    expect(met.codes).toContain("RULE_UNKNOWN");
    expect(met.claims.every((c) => c.endsWith(" possible"))).toBe(true);
    const passed = ask({ ...NODE, "nodes/a/iptables-save.txt": nat() + rule("10.244.3.7/32") }, toService());
    expect(passed.claims).toEqual([]);
  });
});

describe("node ports", () => {
  const ss = (process: string) => `Netid State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess
tcp   LISTEN 0      128          0.0.0.0:30080      0.0.0.0:*    users:(("${process}",pid=9,fd=3))
`;
  const served = nat("10.244.2.7").replace(
    "COMMIT\n",
    "-A KUBE-NODEPORTS -p tcp -m tcp --dport 30080 -j KUBE-SVC-AAAAAAAAAAAAAAAA\nCOMMIT\n",
  );
  const dropped = filter("-A FORWARD -d 10.244.2.7/32 -j DROP\n");
  const asked = { from: "192.0.2.9", to: "10.0.0.1:30080" };
  test("NODEPORT_SHADOWS_HOST_PORT: a process listens where rules take the packet", () => {
    const files = { ...NODE, "nodes/a/iptables-save.txt": served + dropped, "nodes/a/ss-lntp.txt": ss("nginx") };
    expect(ask(files, asked).codes).toContain("NODEPORT_SHADOWS_HOST_PORT");
  });
  test("guard: kube-proxy itself holds the port open", () => {
    const files = { ...NODE, "nodes/a/iptables-save.txt": served + dropped, "nodes/a/ss-lntp.txt": ss("kube-proxy") };
    expect(ask(files, asked).codes).not.toContain("NODEPORT_SHADOWS_HOST_PORT");
  });

  const only = (network: string) =>
    served.replace(
      "-m addrtype --dst-type LOCAL -j KUBE-NODEPORTS",
      `-d ${network} -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS`,
    );
  const sockets =
    'Netid State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\ntcp   LISTEN 0      128          0.0.0.0:22      0.0.0.0:*    users:(("sshd",pid=1,fd=3))\n';
  test("NODEPORT_ADDRESSES: served on other addresses than the one called", () => {
    const files = {
      ...NODE,
      "nodes/a/iptables-save.txt": only("172.16.0.0/12") + filter(),
      "nodes/a/ss-lntp.txt": sockets,
    };
    expect(ask(files, asked).codes).toContain("NODEPORT_ADDRESSES");
  });
  test("guard: a port that is no NodePort is only closed", () => {
    const files = {
      ...NODE,
      "nodes/a/iptables-save.txt": only("172.16.0.0/12") + filter(),
      "nodes/a/ss-lntp.txt": sockets,
    };
    expect(ask(files, { from: "192.0.2.9", to: "10.0.0.1:8088" }).codes).toEqual(["NO_LISTENER"]);
  });
});

describe("NODEPORT_ADDRESSES by kube-proxy's configuration", () => {
  const objects = (addresses: string) => `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec:
  type: NodePort
  clusterIP: 10.96.0.20
  ports:
  - { port: 80, protocol: TCP, targetPort: 8080, nodePort: 30080 }
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
nodePortAddresses: [${addresses}]
`;
  const asked = (port: number) => ({ from: "192.0.2.9", to: `10.0.0.1:${port}` });
  test("not served on the called address, and its guards", () => {
    const files = (addresses: string) => ({ ...NODE, "objects.yaml": objects(addresses) });
    expect(ask(files('"172.16.0.0/12"'), asked(30080)).codes).toContain("NODEPORT_ADDRESSES");
    expect(ask(files('"10.0.0.0/8"'), asked(30080)).codes).not.toContain("NODEPORT_ADDRESSES");
    expect(ask(files('"172.16.0.0/12"'), asked(22)).codes).not.toContain("NODEPORT_ADDRESSES");
  });
});

describe("IPv6, which is not walked", () => {
  test("objects still tell: no endpoint of the family", () => {
    const six = `apiVersion: v1
kind: Service
metadata: { name: six, namespace: default }
spec:
  type: ClusterIP
  clusterIP: "fd00:96::20"
  clusterIPs: ["fd00:96::20"]
  ports:
  - { port: 80, protocol: TCP, targetPort: 8080 }
---
${slice("10.244.2.7", true).replaceAll("web", "six")}`;
    const { verdict, codes } = ask({ ...NODE, "objects.yaml": six }, { from: "fd00:244::5", to: "[fd00:96::20]:80" });
    expect(verdict).toBe("undetermined");
    expect(codes).toContain("IP_FAMILY_MISMATCH");
  });
});

describe("fabric", () => {
  test("UNDERLAY_FILTER as case.yaml states it, and its guard", () => {
    const deny = ask(NODE, toService(), "fabric:\n  deny:\n    - to: 10.244.2.0/24\n");
    expect(deny.codes).toContain("UNDERLAY_FILTER");
    expect(ask(NODE, toService(), "fabric:\n  deny:\n    - to: 10.99.0.0/24\n").claims).toEqual([]);
  });
});

describe("ROUTE_LOCALNET, ROUTING_LOOP and the link", () => {
  test("DNAT to loopback without route_localnet", () => {
    const rules = nat("127.0.0.1");
    const files = {
      ...NODE,
      "nodes/a/iptables-save.txt": rules + filter(),
      "nodes/a/sysctl.txt": `${SYSCTLS}net.ipv4.conf.all.route_localnet = 0\nnet.ipv4.conf.cni0.route_localnet = 0\n`,
    };
    expect(ask(files, toService()).codes).toContain("ROUTE_LOCALNET");
  });
  test("two nodes that each take the other for the way", () => {
    const far = {
      "nodes/b/ip-addr.txt": `2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.2/24 scope global eth0
`,
      "nodes/b/ip-route.txt": `default via 10.0.0.254 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2
10.244.2.0/24 via 10.0.0.1 dev eth0
`,
      "nodes/b/sysctl.txt":
        "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = 0\n",
    };
    const loop = { ...NODE, "nodes/a/ip-route.txt": ROUTES, ...far };
    expect(ask(loop, { from: POD, to: "10.244.2.7:8080" }).codes).toContain("ROUTING_LOOP");
  });
});

describe("STALE_ENDPOINT", () => {
  const service = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec:
  clusterIP: 10.96.0.20
  selector: { app: web }
  ports: [{ port: 80, targetPort: 8080 }]
`;
  const slice = (...addresses: string[]) => `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
addressType: IPv4
metadata: { name: web-x, namespace: default, labels: { kubernetes.io/service-name: web } }
endpoints:
${addresses.map((a) => `- addresses: [${a}]\n  conditions: { ready: true }`).join("\n")}
ports: [{ name: "", port: 8080, protocol: TCP }]
`;
  const pods = (...addresses: string[]) =>
    `NAME    READY   STATUS    RESTARTS   AGE   IP           NODE   NOMINATED NODE   READINESS GATES\n${addresses
      .map((a, i) => `web-${i}   1/1     Running   0          5d    ${a}   a      <none>           <none>`)
      .join("\n")}\n`;
  const given = (more: Record<string, string>, endpoint = "10.244.1.9") => ({
    ...NODE,
    "nodes/a/iptables-save.txt": nat(endpoint) + filter(),
    ...more,
  });
  const codes = (more: Record<string, string>, endpoint?: string) => ask(given(more, endpoint), toService()).codes;

  test("the Service's endpoints lack what the rule still names", () => {
    const answer = ask(given({ "objects.yaml": `${service}---\n${slice("10.244.1.6")}` }), toService());
    expect(answer.verdict).toBe("unreachable");
    expect(answer.claims[0]).toBe("STALE_ENDPOINT proven");
    expect(answer.causes[0]!.said).toBe("a still sends packets for default/web to 10.244.1.9, which no longer exists");
    expect(answer.causes[0]!.lines[0]).toContain("--to-destination 10.244.1.9:8080");
  });
  test("an endpoint on a node of which nothing was shown is as gone", () => {
    const answer = ask(given({ "objects.yaml": `${service}---\n${slice("10.244.2.8")}` }, "10.244.2.7"), toService());
    expect(answer.verdict).toBe("unreachable");
    expect(answer.codes[0]).toBe("STALE_ENDPOINT");
  });
  test("IPVS keeps a real server that is gone", () => {
    const ipvs = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.96.0.20:80 rr
  -> 10.244.1.9:8080              Masq    1      0          0
`;
    const own = `${ADDRESSES}4: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default
    link/ether 52:54:00:00:02:01 brd ff:ff:ff:ff:ff:ff
    inet 10.96.0.20/32 scope global kube-ipvs0
       valid_lft forever preferred_lft forever
`;
    const files = {
      ...given({ "objects.yaml": `${service}---\n${slice("10.244.1.6")}` }),
      "nodes/a/ip-addr.txt": own,
      "nodes/a/iptables-save.txt": filter(),
      "nodes/a/ipvsadm-ln.txt": ipvs,
    };
    const answer = ask(files, toService());
    expect(answer.verdict).toBe("unreachable");
    expect(answer.codes[0]).toBe("STALE_ENDPOINT");
  });
  test("the list of pods lacks it, its pod is over, or it does not answer ARP", () => {
    expect(codes({ "svc.yaml": service, "pods.txt": pods("10.244.1.6", "10.244.1.7") })[0]).toBe("STALE_ENDPOINT");
    const over = pods("10.244.1.9", "10.244.1.7").replace("1/1     Running", "0/1     Completed");
    expect(codes({ "pods.txt": over })[0]).toBe("STALE_ENDPOINT");
    const failed = ask(given({ "nodes/a/ip-neigh.txt": "10.244.1.9 dev cni0 FAILED\n" }), toService());
    expect(failed.claims[0]).toBe("STALE_ENDPOINT inferred");
  });
  test("every port of the bridge leads to a pod that was dumped", () => {
    const port = `4: veth0@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue master cni0 state UP group default
    link/ether 52:54:00:00:03:01 brd ff:ff:ff:ff:ff:ff link-netnsid 0
`;
    const pod = `2: eth0@if4: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP group default
    link/ether 52:54:00:00:03:02 brd ff:ff:ff:ff:ff:ff link-netnsid 0
    inet ${POD}/24 brd 10.244.1.255 scope global eth0
       valid_lft forever preferred_lft forever
`;
    const client = {
      "nodes/a/ip-addr.txt": ADDRESSES + port,
      "nodes/a/pods/default/client/ip-addr.txt": pod,
      "nodes/a/pods/default/client/ip-route.txt":
        "default via 10.244.1.1 dev eth0\n10.244.1.0/24 dev eth0 proto kernel scope link src 10.244.1.5\n",
    };
    expect(codes(client)[0]).toBe("STALE_ENDPOINT");
    const another = `${ADDRESSES}${port}${port.replace("4: veth0@if2", "5: veth1@if2").replace("03:01", "04:01")}`;
    expect(codes({ ...client, "nodes/a/ip-addr.txt": another })).not.toContain("STALE_ENDPOINT");
  });
  test("guard: listed, seen lately, or shown in part only", () => {
    const listed = `${service}---\n${slice("10.244.1.9")}`;
    const gone = `${service}---\n${slice("10.244.1.6")}`;
    expect(codes({ "objects.yaml": listed })).not.toContain("STALE_ENDPOINT");
    const silent = { "objects.yaml": listed, "nodes/a/ip-neigh.txt": "10.244.1.9 dev cni0 FAILED\n" };
    expect(codes(silent)).toEqual(["NEIGHBOUR_FAILED"]);
    const seen = "10.244.1.9 dev cni0 lladdr 52:54:00:00:09:09 REACHABLE\n";
    expect(codes({ "objects.yaml": gone, "nodes/a/ip-neigh.txt": seen })).not.toContain("STALE_ENDPOINT");
    // A bridge that learns knows who answers behind its ports; it forgets them with the port.
    const learnt = (mac: string) => ({
      "objects.yaml": gone,
      "nodes/a/ip-neigh.txt": seen,
      "nodes/a/ip-addr.txt": `${ADDRESSES}${[4, 5].map((n) => `${n}: veth${n - 4}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue master cni0 state UP\n    link/ether 52:54:00:00:03:0${n} brd ff:ff:ff:ff:ff:ff link-netnsid 0\n`).join("")}`,
      "nodes/a/bridge-fdb.txt": `33:33:00:00:00:01 dev eth0 self permanent\n52:54:00:00:03:02 dev veth0 master cni0\n${mac} dev veth1 master cni0\n`,
    });
    expect(codes(learnt("52:54:00:00:09:09"))).not.toContain("STALE_ENDPOINT");
    expect(codes(learnt("52:54:00:00:09:08"))[0]).toBe("STALE_ENDPOINT");
    expect(codes({ "svc.yaml": service, "pods.txt": pods("10.244.1.6") })).not.toContain("STALE_ENDPOINT");
    const picked = `$ kubectl get pods -l app=other -o wide\n${pods("10.244.1.6", "10.244.1.7")}`;
    expect(codes({ "svc.yaml": service, "pods.txt": picked })).not.toContain("STALE_ENDPOINT");
    const full = slice(...Array.from({ length: 100 }, (_, i) => `10.244.3.${i + 1}`));
    expect(codes({ "objects.yaml": `${service}---\n${full}` })).not.toContain("STALE_ENDPOINT");
  });
});

describe("KUBE_PROXY_DRIFT", () => {
  const objects = (version: string) => `apiVersion: v1
kind: Node
metadata: { name: a }
spec: { podCIDR: 10.244.1.0/24 }
status:
  addresses: [{ type: InternalIP, address: 10.0.0.1 }]
  nodeInfo: { kubeletVersion: "${version}", kubeProxyVersion: "" }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec:
  clusterIP: 10.96.0.20
  selector: { app: web }
  ports: [{ port: 80, targetPort: 8080 }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
addressType: IPv4
metadata: { name: web-x, namespace: default, labels: { kubernetes.io/service-name: web } }
endpoints:
- addresses: [10.244.2.7]
  conditions: { ready: true }
ports: [{ name: "", port: 8080, protocol: TCP }]
`;
  const refusing = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
-A FORWARD -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A OUTPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -d 10.96.0.20/32 -p tcp -m comment --comment "default/web has no endpoints" -m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable
COMMIT
`;
  const bare = nat().replace(/^.*10\.96\.0\.20.*\n/m, "");
  const asked = (rules: string, version = "v1.29.3") =>
    ask({ ...NODE, "objects.yaml": objects(version), "nodes/a/iptables-save.txt": rules }, toService());
  test("rules refuse a Service that has endpoints: what check finds is a cause", () => {
    const { verdict, causes } = asked(bare + refusing);
    expect(verdict).toBe("unreachable");
    const drift = causes.find((c) => c.code === "KUBE_PROXY_DRIFT");
    expect(drift).toMatchObject({ certainty: "inferred", stack: "a" });
    expect(drift?.said).toContain("default/web");
  });
  test("guard: as kube-proxy should have programmed it, and where the walk fails all the same", () => {
    expect(asked(nat() + filter()).codes).not.toContain("KUBE_PROXY_DRIFT");
    const dropped = filter("-A FORWARD -d 10.244.2.7/32 -j DROP\n");
    expect(asked(nat() + dropped).codes).not.toContain("KUBE_PROXY_DRIFT");
  });
  test("check compares with the likely release where nobody names one, and says so", () => {
    const files = { ...NODE, "objects.yaml": objects(""), "nodes/a/iptables-save.txt": nat("10.244.2.9") + filter() };
    const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
    const { differences } = check(readCase(inputs), inputs);
    expect(differences.map((d) => d.code)).toEqual(["ENDPOINT_CHANGED"]);
    expect(differences.every((d) => d.likelyRelease !== undefined)).toBe(true);
    expect(differences.filter((d) => /^(?:RULE_|MASQUERADE_)/.test(d.code))).toEqual([]);
  });
});
