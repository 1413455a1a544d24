import { ask, type Files } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

const device = (n: number, name: string, mac: string, addresses: readonly string[]): string =>
  `${n}: ${name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether ${mac} brd ff:ff:ff:ff:ff:ff
${addresses.map((a) => `    inet6 ${a}\n       valid_lft forever preferred_lft forever\n`).join("")}`;
const LO = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet6 ::1/128 scope host
       valid_lft forever preferred_lft forever
`;
const CASE = `stacks:
  - { name: a, kind: node, dumps: nodes/a }
  - { name: b, kind: node, dumps: nodes/b }
  - { name: far, kind: client, dumps: nodes/far }
links:
  - { type: l2, name: lan, ends: ["a:eth0", "b:eth0"] }
  - { type: veth, ends: ["b:v0", "far:eth0"] }
listeners:
  - { stack: b, port: 80 }
  - { stack: far, port: 80 }
`;
const SYSCTL = (more = ""): string => `net.ipv6.conf.all.forwarding = 1
net.ipv6.conf.eth0.forwarding = 1
net.ipv6.conf.eth0.accept_ra = 0
net.ipv6.conf.eth0.disable_ipv6 = 0
${more}`;
const open = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
COMMIT
`;

/** a and b on one link, `far` behind b. */
const LAN: Files = {
  "nodes/a/ip-addr.txt":
    LO + device(2, "eth0", "52:54:00:00:00:0a", ["fd00::a/64 scope global", "fe80::a/64 scope link"]),
  "nodes/a/ip-6-route.txt": `fd00::/64 dev eth0 proto kernel metric 256 pref medium
fd01::/64 via fd00::b dev eth0 metric 1024 pref medium
fe80::/64 dev eth0 proto kernel metric 256 pref medium
`,
  "nodes/a/ip-6-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n",
  "nodes/a/sysctl.txt": SYSCTL(),
  "nodes/a/ip6tables-save.txt": open,
  "nodes/b/ip-addr.txt":
    LO +
    device(2, "eth0", "52:54:00:00:00:0b", ["fd00::b/64 scope global", "fe80::b/64 scope link"]) +
    device(3, "v0", "52:54:00:00:01:0b", ["fe80::1b/64 scope link"]),
  "nodes/b/ip-6-route.txt": `fd00::/64 dev eth0 proto kernel metric 256 pref medium
fd00::77 dev v0 metric 1024 pref medium
fd01::5 dev v0 metric 1024 pref medium
fe80::/64 dev eth0 proto kernel metric 256 pref medium
fe80::/64 dev v0 proto kernel metric 256 pref medium
`,
  "nodes/b/ip-6-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n",
  "nodes/b/sysctl.txt": SYSCTL("net.ipv6.conf.v0.forwarding = 1\n"),
  "nodes/b/ip6tables-save.txt": open,
  "nodes/far/ip-addr.txt":
    LO +
    device(2, "eth0", "52:54:00:00:02:0b", [
      "fd01::5/128 scope global",
      "fd00::77/128 scope global",
      "fe80::2b/64 scope link",
    ]),
  "nodes/far/ip-6-route.txt": `default via fe80::1b dev eth0 metric 1024 pref medium
fe80::/64 dev eth0 proto kernel metric 256 pref medium
`,
  "nodes/far/ip-6-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n",
};
const with_ = (more: Files): Files => ({ ...LAN, ...more });
const claims = (files: Files, to: string, from = "node/a") => ask(files, { from, to, proto: "tcp" }, CASE).claims;
const TO_B = "[fd00::b]:80";

test("without a fault nothing is claimed", () => {
  expect(claims(LAN, TO_B)).toEqual([]);
  expect(claims(LAN, "[fd01::5]:80")).toEqual([]);
});

describe("NEIGHBOUR_DISCOVERY_FILTERED", () => {
  const input = (rules: string): string => open.replace("COMMIT", `${rules}COMMIT`);
  test("the question or its answer is dropped by a rule", () => {
    const all = with_({ "nodes/b/ip6tables-save.txt": input("-A INPUT -p ipv6-icmp -j DROP\n") });
    expect(claims(all, TO_B)).toEqual(["NEIGHBOUR_DISCOVERY_FILTERED proven"]);
    const answers = with_({ "nodes/a/ip6tables-save.txt": input("-A INPUT -p ipv6-icmp -j DROP\n") });
    expect(claims(answers, TO_B)).toEqual(["NEIGHBOUR_DISCOVERY_FILTERED proven"]);
  });
  test("other kinds of ICMPv6 may be", () => {
    const echoes = input("-A INPUT -p ipv6-icmp -m icmp6 --icmpv6-type 128 -j DROP\n");
    expect(claims(with_({ "nodes/b/ip6tables-save.txt": echoes }), TO_B)).toEqual([]);
  });
});

describe("DAD_FAILED", () => {
  const flagged = (flag: string): Files =>
    with_({
      "nodes/b/ip-addr.txt": LAN["nodes/b/ip-addr.txt"]!.replace(
        "fd00::b/64 scope global",
        `fd00::b/64 scope global ${flag}`,
      ),
    });
  test("an address that another machine has, too, is not answered for", () => {
    expect(claims(flagged("dadfailed tentative"), TO_B)).toEqual(["DAD_FAILED inferred"]);
  });
  test("an optimistic one is", () => {
    expect(claims(flagged("optimistic"), TO_B)).toEqual([]);
  });
});

describe("NDP_PROXY_MISSING", () => {
  test("the address is behind b, and a takes it to be on its link", () => {
    expect(claims(LAN, "[fd00::77]:80")).toEqual(["NDP_PROXY_MISSING proven"]);
  });
  test("nobody has a route to it", () => {
    expect(claims(LAN, "[fd00::99]:80").map((c) => c.split(" ")[0])).not.toContain("NDP_PROXY_MISSING");
  });
});

test("IPV6_DISABLED", () => {
  const off = {
    "nodes/b/sysctl.txt": LAN["nodes/b/sysctl.txt"]!.replace("eth0.disable_ipv6 = 0", "eth0.disable_ipv6 = 1"),
  };
  const entry = { "nodes/a/ip-6-neigh.txt": "fd00::b dev eth0 lladdr 52:54:00:00:00:0b PERMANENT\n" };
  expect(claims(with_({ ...off, ...entry }), TO_B)).toContain("IPV6_DISABLED proven");
});

test("LINK_LOCAL_WITHOUT_ZONE", () => {
  expect(claims(LAN, "[fe80::b]:80")).toContain("LINK_LOCAL_WITHOUT_ZONE inferred");
  expect(claims(LAN, "[fe80::b%eth0]:80")).toEqual([]);
});

describe("RA_IGNORED_FORWARDING", () => {
  const accepts = (n: number): Files =>
    with_({ "nodes/a/sysctl.txt": SYSCTL().replace("accept_ra = 0", `accept_ra = ${n}`) });
  test("a device that forwards and takes advertisements as a host does", () => {
    expect(claims(accepts(1), "[2001:db8::1]:80")).toContain("RA_IGNORED_FORWARDING inferred");
  });
  test("not where it takes none, or all", () => {
    for (const n of [0, 2])
      expect(claims(accepts(n), "[2001:db8::1]:80").join(" ")).not.toContain("RA_IGNORED_FORWARDING");
  });
});

test("SRC_SELECTION_IPV6: of two addresses the one without a way back is chosen", () => {
  const two = LAN["nodes/a/ip-addr.txt"]!.replace(
    "    inet6 fd00::a/64",
    "    inet6 fd01::a/128 scope global\n       valid_lft forever preferred_lft forever\n    inet6 fd00::a/64",
  );
  expect(claims(with_({ "nodes/a/ip-addr.txt": two }), "[fd01::5]:80")).toContain("SRC_SELECTION_IPV6 proven");
});
