import { ADDRESSES, ask, filter, NODE, POD, SYSCTLS } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

const vip = `4: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default
    link/ether 52:54:00:00:ff:01 brd ff:ff:ff:ff:ff:ff
    inet 10.96.0.20/32 scope global kube-ipvs0
       valid_lft forever preferred_lft forever
    inet 198.51.100.20/32 scope global kube-ipvs0
       valid_lft forever preferred_lft forever
`;

/** IPVS mode: the sets and the two rules that mark by them. `masq`: kube-proxy knows the cluster's CIDR. */
const rules = (masq: boolean) => `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-SERVICES - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A OUTPUT -j KUBE-SERVICES
-A POSTROUTING -j KUBE-POSTROUTING
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MASQUERADE
${masq ? "-A KUBE-SERVICES ! -s 10.244.0.0/16 -m set --match-set KUBE-CLUSTER-IP dst,dst -j KUBE-MARK-MASQ\n" : ""}-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT
COMMIT
`;

const sets = (lb = "") => `create KUBE-CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536
add KUBE-CLUSTER-IP 10.96.0.20,tcp:80
create KUBE-LOAD-BALANCER hash:ip,port family inet hashsize 1024 maxelem 65536
${lb}`;

const servers = (text: string) => `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
${text}`;

const ipvs = (real: string, { masq = false, more = {} as Record<string, string> } = {}) => ({
  ...NODE,
  "nodes/a/ip-addr.txt": ADDRESSES + vip,
  "nodes/a/sysctl.txt": `${SYSCTLS}net.ipv4.vs.conntrack = 1\nnet.ipv4.vs.conn_reuse_mode = 1\nnet.ipv4.vs.expire_nodest_conn = 1\n`,
  "nodes/a/iptables-save.txt": rules(masq) + filter(),
  "nodes/a/ipset-save.txt": sets(),
  "nodes/a/ipvsadm-ln.txt": servers(real),
  ...more,
});

const REMOTE = "TCP  10.96.0.20:80 rr\n  -> 10.244.2.7:8080              Masq    1      0          0\n";
const fromNode = { from: "node/a", to: "10.96.0.20:80" };

describe("MASQ_MISSING_IPVS_HOST", () => {
  test("the node's own call carries the virtual address and is not answered", () => {
    const { claims } = ask(ipvs(REMOTE), fromNode);
    expect(claims).toEqual(["MASQ_MISSING_IPVS_HOST proven", "SRC_SELECTION_KUBE_IPVS0 inferred"]);
  });
  test("guard: kube-proxy masquerades it", () => {
    expect(ask(ipvs(REMOTE, { masq: true }), fromNode)).toMatchObject({ leaning: "reachable", claims: [] });
  });
  test("guard: a pod's call has a source of its own", () => {
    expect(ask(ipvs(REMOTE), { from: POD, to: "10.96.0.20:80" }).claims).toEqual([]);
  });
});

describe("NO_ENDPOINTS and ETP_LOCAL_NO_ENDPOINT_IPVS", () => {
  test("a cluster address without real server", () => {
    const { claims, causes } = ask(ipvs("TCP  10.96.0.20:80 rr\n"), { from: POD, to: "10.96.0.20:80" });
    expect(claims).toEqual(["NO_ENDPOINTS inferred"]);
    expect(causes[0]?.lines).toContain("TCP  10.96.0.20:80 rr");
  });
  test("a load balancer's address without real server here", () => {
    const files = {
      ...ipvs("TCP  198.51.100.20:80 rr\n"),
      "nodes/a/ipset-save.txt": sets("add KUBE-LOAD-BALANCER 198.51.100.20,tcp:80\n"),
    };
    expect(ask(files, { from: POD, to: "198.51.100.20:80" }).claims).toEqual(["ETP_LOCAL_NO_ENDPOINT_IPVS inferred"]);
  });
  test("guard: one with a real server", () => {
    expect(ask(ipvs(REMOTE), { from: POD, to: "10.96.0.20:80" }).codes).not.toContain("NO_ENDPOINTS");
  });
});

describe("IPVS_LOCALHOST_NODEPORT", () => {
  const local = servers("TCP  127.0.0.1:30080 rr\n  -> 10.244.2.7:8080              Masq    1      0          0\n");
  test("127.0.0.1 cannot be balanced to another machine", () => {
    const files = { ...ipvs(REMOTE), "nodes/a/ipvsadm-ln.txt": local };
    expect(ask(files, { from: "127.0.0.1", to: "127.0.0.1:30080" }).codes).toEqual(["IPVS_LOCALHOST_NODEPORT"]);
  });
  test("guard: the node's address can", () => {
    const node = servers("TCP  10.0.0.1:30080 rr\n  -> 10.244.2.7:8080              Masq    1      0          0\n");
    const files = { ...ipvs(REMOTE, { masq: true }), "nodes/a/ipvsadm-ln.txt": node };
    expect(ask(files, { from: "node/a", to: "10.0.0.1:30080" }).codes).not.toContain("IPVS_LOCALHOST_NODEPORT");
  });
});

describe("IPVS_PERSISTENCE_STALE", () => {
  const persistent =
    "TCP  10.96.0.20:80 rr persistent 10800\n  -> 10.244.2.7:8080              Masq    0      0          3\n  -> 10.244.2.8:8080              Masq    1      0          0\n";
  const template = `IPVS connection entries
pro expire state       source             virtual            destination
TCP 170:10 NONE        10.244.1.5:0       10.96.0.20:80      10.244.2.7:8080
`;
  const kept = (n: number) => `${SYSCTLS}net.ipv4.vs.expire_quiescent_template = ${n}\n`;
  test("a template binds the client to a server of weight 0", () => {
    const more = { "nodes/a/sysctl.txt": kept(0) };
    const files = { ...ipvs(persistent, { more }), "nodes/a/ipvsadm-lnc.txt": template };
    expect(ask(files, { from: POD, to: "10.96.0.20:80" }).codes).toContain("IPVS_PERSISTENCE_STALE");
  });
  test("guard: templates of drained servers expire", () => {
    const more = { "nodes/a/sysctl.txt": kept(1) };
    const files = { ...ipvs(persistent, { more }), "nodes/a/ipvsadm-lnc.txt": template };
    expect(ask(files, { from: POD, to: "10.96.0.20:80" }).codes).not.toContain("IPVS_PERSISTENCE_STALE");
  });
  test("guard: another client's template", () => {
    const more = { "nodes/a/sysctl.txt": kept(0) };
    const files = {
      ...ipvs(persistent, { more }),
      "nodes/a/ipvsadm-lnc.txt": template.replace("10.244.1.5:0", "10.244.1.9:0"),
    };
    expect(ask(files, { from: POD, to: "10.96.0.20:80" }).codes).not.toContain("IPVS_PERSISTENCE_STALE");
  });
});

describe("IPVS_CONN_REUSE", () => {
  const drained =
    "TCP  10.96.0.20:80 rr\n  -> 10.244.2.7:8080              Masq    0      0          140\n  -> 10.244.2.8:8080              Masq    1      0          0\n";
  const mode = (n: number) => ({ "nodes/a/sysctl.txt": `${SYSCTLS}net.ipv4.vs.conn_reuse_mode = ${n}\n` });
  test("a drained server that still has connections, and reuse mode 0", () => {
    const { claims, causes, verdict } = ask(ipvs(drained, { more: mode(0) }), { from: POD, to: "10.96.0.20:80" });
    expect(claims).toEqual(["IPVS_CONN_REUSE possible"]);
    expect(causes[0]?.check?.command).toContain("ipvsadm -lnc");
    expect(verdict).not.toBe("reachable");
  });
  test("guard: mode 1, or nobody drained", () => {
    const question = { from: POD, to: "10.96.0.20:80" };
    expect(ask(ipvs(drained, { more: mode(1) }), question).codes).toEqual([]);
    expect(ask(ipvs(REMOTE, { more: mode(0) }), question).codes).toEqual([]);
  });
});

describe("KUBE_IPVS_FILTER_REJECT", () => {
  const reject = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:KUBE-IPVS-FILTER - [0:0]
-A INPUT -j KUBE-IPVS-FILTER
-A KUBE-IPVS-FILTER -m set --match-set KUBE-CLUSTER-IP dst,dst -j RETURN
-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-IPS dst -j REJECT --reject-with icmp-port-unreachable
COMMIT
`;
  const ips = "create KUBE-IPVS-IPS hash:ip family inet hashsize 1024 maxelem 65536\nadd KUBE-IPVS-IPS 10.96.0.20\n";
  const files = {
    ...ipvs(REMOTE),
    "nodes/a/iptables-save.txt": rules(true) + reject,
    "nodes/a/ipset-save.txt": sets() + ips,
  };
  test("a port of a virtual address that no Service has", () => {
    expect(ask(files, { from: POD, to: "10.96.0.20:8443" }).codes).toContain("KUBE_IPVS_FILTER_REJECT");
  });
  test("guard: a port that a Service has", () => {
    expect(ask(files, { from: POD, to: "10.96.0.20:80" }).claims).toEqual([]);
  });
});

describe("addresses on kube-ipvs0", () => {
  const question = { from: "198.51.100.20", to: "10.0.0.1:30080", node: "a", in: "eth0" };
  test("MARTIAN_LOCAL_SOURCE and KUBE_IPVS0_ADDR_CONFLICT: somebody sends from an address the node has bound", () => {
    expect(ask(ipvs(REMOTE), question).codes).toEqual(
      expect.arrayContaining(["MARTIAN_LOCAL_SOURCE", "KUBE_IPVS0_ADDR_CONFLICT"]),
    );
  });
  test("guard: from an address that is not bound", () => {
    const { codes } = ask(ipvs(REMOTE), { ...question, from: "198.51.100.21" });
    expect(codes).not.toContain("MARTIAN_LOCAL_SOURCE");
    expect(codes).not.toContain("KUBE_IPVS0_ADDR_CONFLICT");
  });
  test("proven: without the address the packet reaches its owner", () => {
    const owner = {
      "nodes/c/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet 198.51.100.20/24 scope global eth0
`,
      "nodes/c/ip-route.txt":
        "default via 198.51.100.1 dev eth0\n198.51.100.0/24 dev eth0 proto kernel scope link src 198.51.100.20\n",
      "nodes/c/sysctl.txt":
        "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = 0\n",
    };
    const sockets =
      'Netid State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\ntcp   LISTEN 0      128          0.0.0.0:22      0.0.0.0:*    users:(("sshd",pid=1,fd=3))\n';
    const files = {
      ...ipvs(REMOTE),
      ...owner,
      "nodes/a/ss-lntp.txt": sockets.replace(":22", ":2222"),
      "nodes/c/ss-lntp.txt": sockets,
    };
    const { claims } = ask(files, { from: "node/a", to: "198.51.100.20:22" });
    expect(claims[0]).toBe("KUBE_IPVS0_ADDR_CONFLICT proven");
  });
  test("the address of another node bound here is named", () => {
    const other = {
      "nodes/c/ip-addr.txt": `2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet 198.51.100.20/24 scope global eth0
`,
    };
    const { causes } = ask({ ...ipvs(REMOTE), ...other }, { from: POD, to: "198.51.100.20:22" });
    expect(causes.find((c) => c.code === "KUBE_IPVS0_ADDR_CONFLICT")?.said).toContain("an address of c");
  });
});

describe("ARP_NOT_STRICT", () => {
  const lan = (name: string, last: number, extra = "") => ({
    [`nodes/${name}/ip-addr.txt`]: `2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:07:0${last} brd ff:ff:ff:ff:ff:ff
    inet 192.168.7.${last}/24 scope global eth0
4: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN
    link/ether 52:54:00:00:ff:0${last} brd ff:ff:ff:ff:ff:ff
    inet 192.168.7.240/32 scope global kube-ipvs0
`,
    [`nodes/${name}/sysctl.txt`]: `net.ipv4.ip_forward = 1\n${extra}`,
  });
  const question = { from: "192.168.7.50", to: "192.168.7.240:80" };
  test("two nodes that may answer", () => {
    expect(ask({ ...lan("a", 1), ...lan("b", 2) }, question).codes).toContain("ARP_NOT_STRICT");
  });
  test("guard: arp_ignore, or one node", () => {
    const strict = "net.ipv4.conf.all.arp_ignore = 1\n";
    expect(ask({ ...lan("a", 1, strict), ...lan("b", 2, strict) }, question).codes).not.toContain("ARP_NOT_STRICT");
    expect(ask(lan("a", 1), question).codes).not.toContain("ARP_NOT_STRICT");
  });
});

describe("MASQ_MISSING_REMOTE_ENDPOINT by the policy Local", () => {
  const local = (set: string) => `create KUBE-LOAD-BALANCER hash:ip,port family inet hashsize 1024 maxelem 65536
add KUBE-LOAD-BALANCER 198.51.100.20,tcp:80
create KUBE-LOAD-BALANCER-LOCAL hash:ip,port family inet hashsize 1024 maxelem 65536
${set}`;
  const chains = `*nat
:PREROUTING ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-LOAD-BALANCER - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-SERVICES - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A POSTROUTING -j KUBE-POSTROUTING
-A KUBE-LOAD-BALANCER -m set --match-set KUBE-LOAD-BALANCER-LOCAL dst,dst -j RETURN
-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MASQUERADE
-A KUBE-SERVICES -m set --match-set KUBE-LOAD-BALANCER dst,dst -j KUBE-LOAD-BALANCER
COMMIT
`;
  const files = (set: string) => ({
    ...ipvs("TCP  198.51.100.20:80 rr\n  -> 10.244.2.7:8080              Masq    1      0          0\n"),
    "nodes/a/iptables-save.txt": chains + filter(),
    "nodes/a/ipset-save.txt": local(set),
  });
  const asked = { from: "192.0.2.9", to: "198.51.100.20:80" };
  test("a client from outside is sent to another node with its own address", () => {
    expect(ask(files("add KUBE-LOAD-BALANCER-LOCAL 198.51.100.20,tcp:80\n"), asked).claims).toEqual([
      "MASQ_MISSING_REMOTE_ENDPOINT possible",
    ]);
  });
  test("guard: by the policy Cluster it is masqueraded", () => {
    expect(ask(files(""), asked)).toMatchObject({ leaning: "reachable", claims: [] });
  });
});
