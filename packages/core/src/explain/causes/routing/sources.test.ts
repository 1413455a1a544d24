import {
  ADDRESSES,
  ask,
  type Files,
  filter,
  NODE,
  nat,
  POD,
  ROUTES,
  SYSCTLS,
  toService,
} from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

/** Node a with a second card: the default route, and so the Service's, goes by eth1, pods of node b by eth0. */
const CARDS = `${ADDRESSES}5: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:05:01 brd ff:ff:ff:ff:ff:ff
    inet 172.16.0.1/24 brd 172.16.0.255 scope global eth1
`;
const SPLIT = ROUTES.replace("default via 10.0.0.254 dev eth0", "default via 172.16.0.254 dev eth1").concat(
  "172.16.0.0/24 dev eth1 proto kernel scope link src 172.16.0.1\n",
);

/** Node b with the endpoint's bridge, both cards, and this rp_filter on eth0. */
const farNode = (rpFilter: number): Files => ({
  "nodes/b/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.2/24 scope global eth0
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450
    link/ether 52:54:00:00:02:01 brd ff:ff:ff:ff:ff:ff
    inet 10.244.2.1/24 scope global cni0
5: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:05:02 brd ff:ff:ff:ff:ff:ff
    inet 172.16.0.2/24 scope global eth1
`,
  "nodes/b/ip-route.txt": `default via 172.16.0.254 dev eth1
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2
10.244.1.0/24 via 10.0.0.1 dev eth0
10.244.2.0/24 dev cni0 proto kernel scope link src 10.244.2.1
172.16.0.0/24 dev eth1 proto kernel scope link src 172.16.0.2
`,
  "nodes/b/ip-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
  "nodes/b/sysctl.txt": `net.ipv4.ip_forward = 1
net.ipv4.conf.all.rp_filter = 0
net.ipv4.conf.eth0.rp_filter = ${rpFilter}
net.ipv4.conf.eth1.rp_filter = 0
net.ipv4.conf.cni0.rp_filter = 0
`,
  "nodes/b/iptables-save.txt": filter(),
});

const twoCards = (rpFilter: number): Files => ({
  ...NODE,
  "nodes/a/ip-addr.txt": CARDS,
  "nodes/a/ip-route.txt": SPLIT,
  "nodes/a/sysctl.txt": `${SYSCTLS}net.ipv4.conf.eth1.rp_filter = 0\n`,
  ...farNode(rpFilter),
});

describe("SRC_SELECTION_MULTI_NIC", () => {
  test("the source was chosen for another card, and strict validation at the endpoint's node refuses it", () => {
    const { claims, causes } = ask(twoCards(1), toService("node/a"));
    expect(claims.slice(0, 2)).toEqual(["SRC_SELECTION_MULTI_NIC proven", "RP_FILTER_STRICT proven"]);
    expect(causes[0]?.said).toContain("172.16.0.1");
    expect(causes[1]).toMatchObject({ stack: "b", direction: "request" });
  });
  test("guard: lenient validation takes it", () => {
    expect(ask(twoCards(0), toService("node/a"))).toMatchObject({ leaning: "reachable", claims: [] });
    expect(ask(twoCards(2), toService("node/a"))).toMatchObject({ leaning: "reachable", claims: [] });
  });
  test("guard: masqueraded, the source is that of the card it leaves by", () => {
    const rules = nat("10.244.2.7").replace(
      "-A KUBE-SERVICES -d 10.96.0.20/32",
      "-A KUBE-SERVICES ! -s 10.244.0.0/16 -d 10.96.0.20/32 -p tcp -m tcp --dport 80 -j KUBE-MARK-MASQ\n-A KUBE-SERVICES -d 10.96.0.20/32",
    );
    const files = { ...twoCards(1), "nodes/a/iptables-save.txt": rules + filter() };
    expect(ask(files, toService("node/a")).claims).toEqual([]);
  });
});

describe("CLOUD_SRC_DST_CHECK", () => {
  const checked = "fabric:\n  srcDstCheck: true\n";
  test("the card it leaves by does not own the source", () => {
    expect(ask(twoCards(0), toService("node/a"), checked).codes).toContain("CLOUD_SRC_DST_CHECK");
  });
  test("guard: it does, or nobody checks", () => {
    expect(ask(NODE, toService("node/a"), checked).claims).toEqual([]);
    expect(ask(twoCards(0), toService("node/a")).codes).not.toContain("CLOUD_SRC_DST_CHECK");
  });
});

describe("MASQ_MISSING_NODE_TO_POD", () => {
  const overlay = (rpFilter: number): Files => {
    const tunnel = (n: number) => `6: tunl0@NONE: <NOARP,UP,LOWER_UP> mtu 1480 qdisc noqueue state UNKNOWN
    link/ipip 0.0.0.0 brd 0.0.0.0
    inet 10.244.${n}.0/32 scope global tunl0
`;
    const far = farNode(0);
    return {
      ...NODE,
      "nodes/a/ip-addr.txt": ADDRESSES + tunnel(1),
      "nodes/a/ip-route.txt": ROUTES.replace(
        "10.244.2.0/24 via 10.0.0.2 dev eth0",
        "10.244.2.0/24 via 10.0.0.2 dev tunl0 onlink",
      ),
      ...far,
      "nodes/b/ip-addr.txt": (far["nodes/b/ip-addr.txt"] ?? "") + tunnel(2),
      "nodes/b/ip-route.txt": (far["nodes/b/ip-route.txt"] ?? "").replace(
        "10.244.1.0/24 via 10.0.0.1 dev eth0",
        "10.244.1.0/24 via 10.0.0.1 dev tunl0 onlink",
      ),
      "nodes/b/sysctl.txt": `${far["nodes/b/sysctl.txt"]}net.ipv4.conf.tunl0.rp_filter = ${rpFilter}\n`,
    };
  };
  test("what the node sends into the overlay carries the card's address", () => {
    const { claims } = ask(overlay(1), toService("node/a"));
    expect(claims).toContain("MASQ_MISSING_NODE_TO_POD proven");
    expect(claims).toContain("RP_FILTER_STRICT proven");
  });
  test("guard: lenient, nothing is claimed", () => {
    expect(ask(overlay(0), toService("node/a")).claims).toEqual([]);
  });
  test("guard: a pod's own address belongs into the overlay", () => {
    expect(ask(overlay(1), toService(POD)).claims).toEqual([]);
  });
});

describe("RP_FILTER_STRICT", () => {
  test("guard: the larger of all and the device counts", () => {
    const files = { ...twoCards(0) };
    const sysctl = (all: number) =>
      (files["nodes/b/sysctl.txt"] ?? "").replace("all.rp_filter = 0", `all.rp_filter = ${all}`);
    expect(ask({ ...files, "nodes/b/sysctl.txt": sysctl(1) }, toService("node/a")).codes).toContain("RP_FILTER_STRICT");
    expect(ask({ ...files, "nodes/b/sysctl.txt": sysctl(2) }, toService("node/a")).claims).toEqual([]);
  });
  test("not shown: possible, and never proven", () => {
    const files = { ...twoCards(0), "nodes/b/sysctl.txt": "net.ipv4.ip_forward = 1\n" };
    const { verdict, claims } = ask(files, toService("node/a"));
    expect(verdict).toBe("undetermined");
    expect(claims.every((c) => c.endsWith(" possible"))).toBe(true);
    expect(claims).toContain("RP_FILTER_STRICT possible");
  });
  test("a martian line of the kernel settles it", () => {
    const martian = "IPv4: martian source 10.244.2.7 from 172.16.0.1, on dev eth0\n";
    const files = { ...twoCards(0), "nodes/b/sysctl.txt": "net.ipv4.ip_forward = 1\n", "nodes/b/dmesg.txt": martian };
    const { verdict, claims, settled } = ask(files, toService("node/a"));
    expect(settled.map((s) => [s.fact, s.values])).toEqual([["b/sysctl/net.ipv4.conf.eth0.rp_filter", ["1"]]]);
    expect(verdict).toBe("unreachable");
    expect(claims).toContain("RP_FILTER_STRICT proven");
  });
  test("that the client timed out settles it, but proves nothing", () => {
    const timeout = "$ curl -m 5 http://10.96.0.20/\ncurl: (28) Connection timed out after 5001 milliseconds\n";
    const files = { ...twoCards(0), "nodes/b/sysctl.txt": "net.ipv4.ip_forward = 1\n", "nodes/a/curl.txt": timeout };
    const { verdict, claims } = ask(files, toService("node/a"));
    expect(verdict).toBe("unreachable");
    expect(claims).toContain("RP_FILTER_STRICT inferred");
    expect(claims.filter((c) => c.endsWith(" proven"))).toEqual([]);
  });
  test("a client that is refused is not what strict validation does: the walk is contradicted, nothing is settled", () => {
    const refused =
      "$ curl http://10.96.0.20/\ncurl: (7) Failed to connect to 10.96.0.20 port 80: Connection refused\n";
    const files = { ...twoCards(0), "nodes/b/sysctl.txt": "net.ipv4.ip_forward = 1\n", "nodes/a/curl.txt": refused };
    const { settled, claims } = ask(files, toService("node/a"));
    expect(settled).toEqual([]);
    expect(claims.every((c) => c.endsWith(" possible"))).toBe(true);
  });
});

describe("MASQ_MISSING_REMOTE_ENDPOINT", () => {
  const nodePort = (masq: boolean) =>
    nat("10.244.2.7").replace(
      "COMMIT\n",
      `${masq ? "-A KUBE-NODEPORTS -p tcp -m tcp --dport 30080 -j KUBE-MARK-MASQ\n" : ""}-A KUBE-NODEPORTS -p tcp -m tcp --dport 30080 -j KUBE-SVC-AAAAAAAAAAAAAAAA\nCOMMIT\n`,
    );
  const question = { from: "10.0.0.50", to: "10.0.0.1:30080" };
  test("the endpoint answers the client directly, from an address it did not call", () => {
    const files = { ...NODE, "nodes/a/iptables-save.txt": nodePort(false) + filter() };
    expect(ask(files, question).claims).toContain("MASQ_MISSING_REMOTE_ENDPOINT proven");
  });
  test("guard: masqueraded, the answer comes back by the node", () => {
    const files = { ...NODE, "nodes/a/iptables-save.txt": nodePort(true) + filter() };
    expect(ask(files, question).claims).toEqual([]);
  });
});

describe("POLICY_ROUTE_POD_SOURCE and SRC_SELECTION_MASQUERADE", () => {
  const cards = `${ADDRESSES}5: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:05:01 brd ff:ff:ff:ff:ff:ff
`;
  const policy = (more = ""): Files => ({
    ...NODE,
    "nodes/a/ip-addr.txt": cards,
    "nodes/a/ip-rule.txt": `0:\tfrom all lookup local\n${more}2000:\tfrom 10.244.1.5 lookup 100\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n`,
    "nodes/a/ip-route.txt": `${ROUTES}default via 10.0.9.254 dev eth1 table 100 onlink\n`,
    "nodes/a/sysctl.txt": SYSCTLS.replace("eth0.rp_filter = 0", "eth0.rp_filter = 1").concat(
      "net.ipv4.conf.eth1.rp_filter = 0\n",
    ),
    "nodes/a/iptables-save.txt":
      nat("10.244.2.7").replace(
        "-A KUBE-SERVICES -d 10.96.0.20/32",
        "-A KUBE-SERVICES -d 10.96.0.20/32 -p tcp -m tcp --dport 80 -j KUBE-MARK-MASQ\n-A KUBE-SERVICES -d 10.96.0.20/32",
      ) + filter(),
  });
  test("the pod's rule sends it out of a card without address, and the answer comes in by the other", () => {
    const { codes } = ask(policy(), toService());
    expect(codes).toEqual(
      expect.arrayContaining(["POLICY_ROUTE_POD_SOURCE", "SRC_SELECTION_MASQUERADE", "RP_FILTER_STRICT"]),
    );
  });
  test("guard: a rule ahead of it that keeps the flow in table main", () => {
    expect(ask(policy("1500:\tfrom 10.244.1.5 to 10.244.0.0/16 lookup main\n"), toService()).claims).toEqual([]);
  });
});

describe("SRC_SELECTION_MASQUERADE with an alias", () => {
  const cards = (alias: string) =>
    `${ADDRESSES.replace("    inet 127.0.0.1/8 scope host lo\n", `    inet 127.0.0.1/8 scope host lo\n${alias}`)}5: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:05:01 brd ff:ff:ff:ff:ff:ff
`;
  const files = (alias: string): Files => ({
    ...NODE,
    "nodes/a/ip-addr.txt": cards(alias),
    "nodes/a/ip-route.txt": ROUTES.replace("10.244.2.0/24 via 10.0.0.2 dev eth0", "10.244.2.0/24 dev eth1 scope link"),
    "nodes/a/sysctl.txt": `${SYSCTLS}net.ipv4.conf.eth1.rp_filter = 0\n`,
    "nodes/a/iptables-save.txt":
      nat("10.244.2.7").replace(
        "-A KUBE-SERVICES -d 10.96.0.20/32",
        "-A KUBE-SERVICES -d 10.96.0.20/32 -p tcp -m tcp --dport 80 -j KUBE-MARK-MASQ\n-A KUBE-SERVICES -d 10.96.0.20/32",
      ) + filter(),
  });
  test("an alias on loopback comes before every card's address, and nobody can answer it", () => {
    const { claims, causes } = ask(files("    inet 203.0.113.9/32 scope global lo\n"), toService());
    expect(claims).toEqual(["SRC_SELECTION_MASQUERADE proven"]);
    expect(causes[0]?.said).toContain("203.0.113.9 of lo");
  });
  test("guard: of scope host it is passed over", () => {
    expect(ask(files("    inet 203.0.113.9/32 scope host lo\n"), toService()).claims).toEqual([]);
  });
});
