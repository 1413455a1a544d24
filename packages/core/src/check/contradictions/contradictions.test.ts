import { describe, expect, test } from "vitest";
import { say } from "../../messages/index.ts";
import { readCase } from "../../parse/index.ts";
import { check } from "../index.ts";

const reportOf = (files: Readonly<Record<string, string>>) => {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return check(readCase(inputs), inputs);
};
const codes = (files: Readonly<Record<string, string>>) => reportOf(files).contradictions.map((c) => c.code);

const table = (...lines: string[]) =>
  ["*filter", ":INPUT ACCEPT [0:0]", ":FORWARD ACCEPT [0:0]", ":OUTPUT ACCEPT [0:0]", ...lines, "COMMIT", ""].join(
    "\n",
  );
const set = (name: string, ...members: string[]) =>
  [
    `Name: ${name}`,
    "Type: hash:ip",
    "Revision: 4",
    "Header: family inet hashsize 1024 maxelem 65536",
    "Size in memory: 200",
    "References: 1",
    `Number of entries: ${members.length}`,
    "Members:",
    ...members,
    "",
  ].join("\n");
const ADDR = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.5/24 brd 10.0.0.255 scope global eth0
       valid_lft forever preferred_lft forever
`;

describe("contradictions between dumps", () => {
  test("a rule names a set that a whole listing lacks", () => {
    const rules = table(
      "-A INPUT -m set --match-set white src -j ACCEPT",
      "-A INPUT -m set --match-set white src -j DROP",
    );
    const report = reportOf({
      "iptables-save.txt": rules,
      "ipset-list.txt": `${set("black", "10.0.0.1")}\n${set("grey")}`,
    });
    expect(report.contradictions).toMatchObject([{ code: "SET_NOT_THERE", node: "node" }]);
    expect(report.contradictions[0]?.evidence.map((e) => [e.file, e.line])).toEqual([
      ["iptables-save.txt", 5],
      ["iptables-save.txt", 6],
      ["ipset-list.txt", 1],
    ]);
    expect(report.contradictions[0]?.evidence[0]?.text).toContain("--match-set white");
  });
  test("a listing of one set proves nothing about others", () => {
    const files = {
      "iptables-save.txt": table("-A INPUT -m set --match-set white src -j ACCEPT"),
      "t.txt": `$ ipset list black\n${set("black", "10.0.0.1")}`,
    };
    expect(codes(files)).toEqual([]);
  });
  test("a routing rule names a table that the listing of all lacks", () => {
    const rules =
      "0:\tfrom all lookup local\n1000:\tfrom 10.0.0.0/8 lookup 77\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";
    const routes =
      "default via 10.0.0.1 dev eth0 table 100 \ndefault via 10.0.0.1 dev eth0 \nlocal 10.0.0.5 dev eth0 table local proto kernel scope host src 10.0.0.5 \n";
    expect(codes({ "ip-rule.txt": rules, "ip-route-table-all.txt": routes })).toEqual(["TABLE_NOT_THERE"]);
    expect(codes({ "ip-rule.txt": rules.replace("77", "100"), "ip-route-table-all.txt": routes })).toEqual([]);
    expect(codes({ "ip-rule.txt": rules, "ip-route.txt": "default via 10.0.0.1 dev eth0 \n" })).toEqual([]);
  });
  test("devices and source addresses that are not there", () => {
    const routes = "default via 10.0.0.1 dev eth0 \n10.9.0.0/16 dev eth9 scope link src 10.9.0.1 \n";
    expect(codes({ "ip-addr.txt": ADDR, "ip-route.txt": routes })).toEqual(["DEVICE_NOT_THERE", "SOURCE_NOT_LOCAL"]);
    expect(
      codes({ "t.txt": `$ ip addr show eth0\n${ADDR.split("\n").slice(4).join("\n")}`, "ip-route.txt": routes }),
    ).toEqual([]);
  });
  test("a chain that leads back to itself, and one that is not there", () => {
    const rules = table(":A - [0:0]", ":B - [0:0]", "-A INPUT -j A", "-A A -j B", "-A B -j A", "-A B -j GONE");
    const report = reportOf({ "iptables-save.txt": rules });
    expect(report.contradictions.map((c) => c.code).sort()).toEqual(["CHAIN_LOOP", "CHAIN_NOT_THERE"]);
    expect(say(report.contradictions.find((c) => c.code === "CHAIN_LOOP")!.text)).toContain("A jumps to B jumps to A");
    expect(codes({ "iptables-save.txt": table(":A - [0:0]", "-A A -j A") })).toEqual(["CHAIN_LOOP"]);
    expect(
      codes({ "iptables-save.txt": table(":A - [0:0]", ":B - [0:0]", "-A INPUT -j A", "-A A -j B", "-A INPUT -j B") }),
    ).toEqual([]);
  });
  test("two dumps of one chain that differ in the target, counters aside", () => {
    const save = table("-A INPUT -s 10.0.0.0/8 -j DROP");
    expect(
      codes({
        "iptables-save.txt": save,
        "iptables-S.filter.txt":
          "-P INPUT ACCEPT\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n-A INPUT -s 10.0.0.0/8 -j ACCEPT\n",
      }),
    ).toEqual(["RULE_DIFFERS"]);
    expect(
      codes({
        "iptables-save.txt": save,
        "iptables-S.filter.txt": "-P INPUT DROP\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n-A INPUT -s 10.0.0.0/8 -j DROP\n",
      }),
    ).toEqual(["POLICY_DIFFERS"]);
    expect(codes({ "a.txt": save, "b.txt": save.replaceAll("[0:0]", "[7:70]") })).toEqual([]);
  });
  test("the same key, device or set with two values", () => {
    expect(codes({ "sysctl.txt": "net.ipv4.ip_forward = 1\n", "x.txt": "net.ipv4.ip_forward = 0\n" })).toEqual([
      "SYSCTL_DIFFERS",
    ]);
    const lines = "kernel.core_modes = file\nkernel.core_modes = pipe\n";
    expect(codes({ "sysctl.txt": `net.ipv4.ip_forward = 1\n${lines}` })).toEqual([]);
    expect(codes({ "ip-addr.txt": ADDR, "x.txt": ADDR.replace("02:00:00:00:00:01", "02:00:00:00:00:02") })).toEqual([
      "DEVICE_DIFFERS",
    ]);
    expect(codes({ "ip-addr.txt": ADDR, "x.txt": ADDR.replace("10.0.0.5/24", "10.0.0.6/24") })).toEqual([
      "DEVICE_DIFFERS",
    ]);
    const sets = `${set("a", "10.0.0.1")}\n${set("b")}`;
    expect(codes({ "ipset-list.txt": sets, "x.txt": sets.replace("10.0.0.1", "10.0.0.2") })).toEqual(["SET_DIFFERS"]);
    expect(codes({ "ip-addr.txt": ADDR, "x.txt": ADDR })).toEqual([]);
  });
  test("what somebody changed in between does not contradict", () => {
    const sysctl = (typed: string) =>
      `# sysctl net.ipv4.ip_forward\nnet.ipv4.ip_forward = 0\n${typed}# sysctl net.ipv4.ip_forward\nnet.ipv4.ip_forward = 1\n`;
    expect(codes({ "t.txt": sysctl("") })).toEqual(["SYSCTL_DIFFERS"]);
    expect(codes({ "t.txt": sysctl("# sysctl -w net.ipv4.ip_forward=1\nnet.ipv4.ip_forward = 1\n") })).toEqual([]);
    expect(codes({ "t.txt": sysctl("# echo 1 > /proc/sys/net/ipv4/ip_forward\n") })).toEqual([]);
    const rules = (typed: string) =>
      `# iptables -S INPUT\n-P INPUT ACCEPT\n${typed}# iptables -S INPUT\n-P INPUT DROP\n`;
    expect(codes({ "t.txt": rules("") })).toEqual(["POLICY_DIFFERS"]);
    expect(codes({ "t.txt": rules("# iptables -P INPUT DROP\n") })).toEqual([]);
  });
  test("before and after may differ, and so may two nodes and two namespaces", () => {
    expect(
      codes({ "sysctl.before.txt": "net.ipv4.ip_forward = 1\n", "sysctl.after.txt": "net.ipv4.ip_forward = 0\n" }),
    ).toEqual([]);
    expect(
      codes({ "nodes/a/sysctl.txt": "net.ipv4.ip_forward = 1\n", "nodes/b/sysctl.txt": "net.ipv4.ip_forward = 0\n" }),
    ).toEqual([]);
    expect(
      codes({ "t.txt": `# ip addr\n${ADDR}# nsenter -t 9 -n ip addr\n${ADDR.replace("10.0.0.5", "10.0.0.9")}` }),
    ).toEqual([]);
  });
});

describe("what is missing", () => {
  const missing = (files: Readonly<Record<string, string>>) => reportOf(files).missing.map((m) => m.command);
  test("rules that ask for sets want them listed", () => {
    const files = { "iptables-save.txt": table("-A INPUT -m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT") };
    expect(missing(files)).toEqual(
      expect.arrayContaining([
        "ipset list",
        "ipvsadm -ln",
        "ip rule",
        "ip route show table all",
        "ip -d addr",
        "sysctl -a",
      ]),
    );
  });
  test("a table that a rule looks up and nobody gave", () => {
    const files = {
      "ip-rule.txt": "0:\tfrom all lookup local\n9:\tfrom all lookup 77\n32766:\tfrom all lookup main\n",
      "ip-route.txt": "default via 10.0.0.1 dev eth0\n",
    };
    const missing = reportOf(files).missing.find((m) => m.command === "ip route show table all");
    expect(say(missing!.why)).toBe("route table 77 was not given completely");
  });
  test("nothing is asked twice, and nothing for a machine of which only a capture is there", () => {
    const capture = "10:00:00.000000 IP 10.0.0.1.5 > 10.0.0.2.80: Flags [S], seq 1, win 1, length 0\n";
    const report = reportOf({
      "nodes/a/ip-rule.txt": "0:\tfrom all lookup local\n",
      "nodes/far/tcpdump.eth0.txt": capture,
    });
    expect(new Set(report.missing.map((m) => m.node))).toEqual(new Set(["a"]));
  });
});
