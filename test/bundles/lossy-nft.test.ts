import { ask } from "@hairpin/testing/cluster.ts";
import { describe, expect, test } from "vitest";

/** Two nodes, the second of which shows its rules by `nft list ruleset` alone, and of some tables by `iptables -nvL`. */
const nodes = (files: Readonly<Record<string, string>>): Record<string, string> => {
  const node = (name: string, address: string): Record<string, string> => ({
    [`nodes/${name}/ip-addr.txt`]: `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 02:00:00:00:00:${address.slice(-2)} brd ff:ff:ff:ff:ff:ff
    inet ${address}/24 scope global eth0
`,
    [`nodes/${name}/ip-route.txt`]: `default via 192.0.2.1 dev eth0\n192.0.2.0/24 dev eth0 proto kernel scope link src ${address}\n`,
    [`nodes/${name}/ip-rule.txt`]:
      "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
    [`nodes/${name}/sysctl.txt`]:
      "net.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = 0\nnet.ipv4.ip_forward = 1\n",
    [`nodes/${name}/ss-lnt.txt`]:
      "State  Recv-Q Send-Q Local Address:Port Peer Address:Port\nLISTEN 0      128          0.0.0.0:22        0.0.0.0:*\nLISTEN 0      128          0.0.0.0:8080        0.0.0.0:*\n",
  });
  const own = Object.fromEntries(Object.entries(files).map(([path, text]) => [`nodes/b/${path}`, text]));
  const plain = "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n";
  return { ...node("a", "192.0.2.11"), "nodes/a/iptables-save.txt": plain, ...node("b", "192.0.2.12"), ...own };
};
const filter = (...rules: readonly string[]): string =>
  `table ip filter { # handle 1\n\tchain INPUT { # handle 1\n\t\ttype filter hook input priority filter; policy accept;\n${rules.map((r) => `\t\t${r}\n`).join("")}\t}\n}\n`;
const verdict = (files: Readonly<Record<string, string>>, port = 22): string =>
  ask(nodes(files), "node/a", `192.0.2.12:${port}`).verdict;
const byNft = (...rules: readonly string[]): string => verdict({ "nft-list-ruleset.txt": filter(...rules) });

describe("nft's print of rules of iptables-nft, with no iptables-save beside it", () => {
  test("what it translates is believed", () => {
    expect(
      byNft(
        "meta l4proto tcp tcp dport 22 counter packets 0 bytes 0 accept # handle 2",
        "counter packets 0 bytes 0 drop # handle 3",
      ),
    ).toBe("reachable");
    expect(byNft("meta l4proto tcp tcp dport 22 counter packets 0 bytes 0 drop # handle 2")).toBe("unreachable");
    expect(byNft("ct state invalid xt match nfacct counter packets 0 bytes 0 drop # handle 2")).toBe("reachable");
  });

  // `-m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP`, as nft 1.0.6 prints it: the kernel drops the SYN.
  test("a match that lost its negation and its states is open", () => {
    expect(byNft("ct status dnat counter packets 0 bytes 0 drop # handle 2")).toBe("undetermined");
    expect(
      byNft("ct status dnat counter packets 0 bytes 0 accept # handle 2", "counter packets 0 bytes 0 drop # handle 3"),
    ).toBe("undetermined");
  });
  test("the same words of somebody who writes nft himself are his", () => {
    const native =
      "table inet fw {\n\tchain in {\n\t\ttype filter hook input priority filter; policy accept;\n\t\tct status dnat counter packets 0 bytes 0 drop\n\t}\n}\n";
    expect(verdict({ "nft-list-ruleset.txt": native })).toBe("reachable");
  });

  test.each([
    ["nft 1.0", "xt match set counter packets 0 bytes 0 drop # handle 2"],
    ["nft 1.1", 'xt match "set" counter packets 0 bytes 0 drop # handle 2'],
    ["nft without xtables", "# xt_set counter packets 0 bytes 0 drop # handle 2"],
    ["behind another match", "meta l4proto tcp # xt_set counter packets 0 bytes 0 drop"],
    ["as iptables -L lists it", "meta l4proto tcp # match-set S22 src counter packets 7 bytes 420 drop"],
    ["a target", "meta l4proto tcp counter packets 0 bytes 0 # xt_TPROXY"],
    ["a target as listed", "meta l4proto tcp counter packets 0 bytes 0 # TPROXY redirect 10.0.0.1:80 # handle 9"],
  ])("a placeholder is open, not a remark: %s", (_, rule) => {
    expect(byNft(rule)).toBe("undetermined");
  });
  test("a remark stays one", () => {
    expect(byNft("tcp dport 22 accept # ssh for all", "# tcp dport 22 counter packets 1 bytes 60 drop")).toBe(
      "reachable",
    );
  });
});

describe("tables of which only some were listed by iptables", () => {
  const NAT =
    "table ip nat {\n\tchain PREROUTING {\n\t\ttype nat hook prerouting priority dstnat; policy accept;\n\t\tmeta l4proto tcp tcp dport 80 counter packets 0 bytes 0 redirect to :8080\n\t}\n}\n";
  const LISTED =
    "Chain INPUT (policy ACCEPT 0 packets, 0 bytes)\n    pkts      bytes target     prot opt in     out     source               destination         \n\nChain FORWARD (policy ACCEPT 0 packets, 0 bytes)\n    pkts      bytes target     prot opt in     out     source               destination         \n\nChain OUTPUT (policy ACCEPT 0 packets, 0 bytes)\n    pkts      bytes target     prot opt in     out     source               destination         \n";

  test("those that nft alone shows are walked as well", () => {
    expect(verdict({ "iptables-vnxL.filter.txt": LISTED, "nft-list-ruleset.txt": `${filter()}${NAT}` }, 80)).toBe(
      "reachable",
    );
    expect(verdict({ "iptables-vnxL.filter.txt": LISTED, "nft-list-ruleset.txt": filter() }, 80)).toBe("unreachable");
  });
  test("those that both show are walked once, as iptables shows them", () => {
    const lossy = filter("ct status dnat counter packets 0 bytes 0 drop");
    expect(verdict({ "iptables-vnxL.filter.txt": LISTED, "nft-list-ruleset.txt": lossy })).toBe("reachable");
  });
});
