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

/** far, two routers away, behind a link of 1300 bytes between b and c. */
const NARROW_CASE = `stacks:
  - { name: a, kind: node, dumps: nodes/a }
  - { name: b, kind: node, dumps: nodes/b }
  - { name: c, kind: router, dumps: nodes/c }
  - { name: far, kind: client, dumps: nodes/far }
links:
  - { type: l2, name: lan, ends: ["a:eth0", "b:eth0"] }
  - { type: veth, ends: ["b:v0", "c:eth0"] }
  - { type: veth, ends: ["c:w0", "far:eth0"] }
listeners:
  - { stack: far, port: 80 }
`;
const narrow = (more: Files = {}): Files =>
  with_({
    "nodes/b/ip-addr.txt": LAN["nodes/b/ip-addr.txt"]!.replace(/(v0: \S+ mtu) 1500/, "$1 1300"),
    "nodes/b/ip-6-route.txt": LAN["nodes/b/ip-6-route.txt"]!.replace("fd01::5 dev v0", "fd01::5 via fe80::2b dev v0"),
    "nodes/c/ip-addr.txt":
      LO +
      device(2, "eth0", "52:54:00:00:02:0b", ["fe80::2b/64 scope link"]).replace("mtu 1500", "mtu 1300") +
      device(3, "w0", "52:54:00:00:03:0c", ["fe80::3c/64 scope link"]),
    "nodes/c/ip-6-route.txt": `default via fe80::1b dev eth0 metric 1024 pref medium
fd01::5 dev w0 metric 1024 pref medium
fe80::/64 dev eth0 proto kernel metric 256 pref medium
fe80::/64 dev w0 proto kernel metric 256 pref medium
`,
    "nodes/c/ip-6-rule.txt": LAN["nodes/a/ip-6-rule.txt"]!,
    "nodes/c/sysctl.txt": SYSCTL(),
    "nodes/c/ip6tables-save.txt": open,
    "nodes/far/ip-addr.txt":
      LO + device(2, "eth0", "52:54:00:00:04:0f", ["fd01::5/128 scope global", "fe80::4f/64 scope link"]),
    "nodes/far/ip-6-route.txt": LAN["nodes/far/ip-6-route.txt"]!.replace("fe80::1b", "fe80::3c"),
    ...more,
  });

describe("PMTU_FILTERED", () => {
  const large = (files: Files, proto = "tcp") =>
    ask(files, { from: "node/a", to: "[fd01::5]:80", proto, size: 1400 }, NARROW_CASE);
  const filter = (rules: string): string => open.replace("COMMIT", `${rules}COMMIT`);
  const TOO_BIG = "-p ipv6-icmp -m icmp6 --icmpv6-type 2 -j DROP\n";

  test("a narrow path that its router tells of is no fault", () => {
    expect(large(narrow()).verdict).toBe("reachable");
  });
  test("the message is dropped where it arrives, or where it is sent", () => {
    const at = [
      { "nodes/a/ip6tables-save.txt": filter(`-A INPUT ${TOO_BIG}`) },
      { "nodes/b/ip6tables-save.txt": filter(`-A OUTPUT ${TOO_BIG}`) },
    ];
    for (const more of at) {
      const { verdict, claims } = large(narrow(more));
      expect(verdict).toBe("unreachable");
      expect(claims[0]).toBe("PMTU_FILTERED proven");
    }
  });
  test("a firewall that knows connections lets it in: it is related to one", () => {
    const state = filter("-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n").replace(
      ":INPUT ACCEPT",
      ":INPUT DROP",
    );
    const discovery =
      "-A INPUT -p ipv6-icmp -m icmp6 --icmpv6-type 135 -j ACCEPT\n-A INPUT -p ipv6-icmp -m icmp6 --icmpv6-type 136 -j ACCEPT\n";
    expect(large(narrow({ "nodes/a/ip6tables-save.txt": state.replace("COMMIT", `${discovery}COMMIT`) })).verdict).toBe(
      "reachable",
    );
  });
  test("a datagram that the sender cuts once it knows is left open, not called lost", () => {
    expect(large(narrow(), "udp").verdict).not.toBe("unreachable");
  });
});

describe("MASQ_MISSING_NAT_OUTGOING, of a unique local address", () => {
  /** `far` is a pod of b's; a, on the link, knows no way back to it. */
  const pod = with_({
    "nodes/a/ip-6-route.txt":
      "fd00::/64 dev eth0 proto kernel metric 256 pref medium\nfe80::/64 dev eth0 proto kernel metric 256 pref medium\n",
  });
  const CASE_A = `${CASE}  - { stack: a, port: 80 }\n`;
  const asked = (files: Files, to = "[fd00::a]:80") =>
    ask(files, { from: "stack/far", to, proto: "tcp", bind: "fd01::5" }, CASE_A);

  test("it leaves untranslated, and nobody knows the way back", () => {
    expect(asked(pod).claims).toContain("MASQ_MISSING_NAT_OUTGOING proven");
  });
  test("not where the way back is known, or it is translated", () => {
    expect(asked(LAN).claims).toEqual([]);
    const nat = `${open}*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
-A POSTROUTING -s fd01::/64 -o eth0 -j MASQUERADE
COMMIT
`;
    expect(asked({ ...pod, "nodes/b/ip6tables-save.txt": nat }).claims).toEqual([]);
  });
});
