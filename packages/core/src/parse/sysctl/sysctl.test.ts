import { describe, expect, test } from "vitest";
import { assumed, type SysctlEntry } from "../../model/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { sourceOf } from "../source.ts";
import { applySysctl, dialects, keyOfName, parseSysctlCommand, pathOfKey } from "./index.ts";

const read = (id: string, text: string, context: DumpContext = {}): Reading =>
  dialects.find((d) => d.id === id)!.read(sourceOf("sysctl.txt", text), context);
const pairs = (reading: Reading) =>
  reading.facts.flatMap((f) => (f.kind === "sysctls" ? f.entries.map((e) => [e.key, e.value]) : []));

describe("keys", () => {
  test.each([
    ["net.ipv4.ip_forward", "net.ipv4.ip_forward", "/proc/sys/net/ipv4/ip_forward"],
    [
      "net.ipv4.conf.eth0/100.rp_filter",
      "net.ipv4.conf.eth0/100.rp_filter",
      "/proc/sys/net/ipv4/conf/eth0.100/rp_filter",
    ],
    [
      "net/ipv4/conf/eth0.100/rp_filter",
      "net.ipv4.conf.eth0/100.rp_filter",
      "/proc/sys/net/ipv4/conf/eth0.100/rp_filter",
    ],
    [
      "/proc/sys/net/ipv4/conf/eth0.100/rp_filter",
      "net.ipv4.conf.eth0/100.rp_filter",
      "/proc/sys/net/ipv4/conf/eth0.100/rp_filter",
    ],
    [
      "net.ipv4.conf.eth0.100.rp_filter",
      "net.ipv4.conf.eth0/100.rp_filter",
      "/proc/sys/net/ipv4/conf/eth0.100/rp_filter",
    ],
    [
      "net.bridge.bridge-nf-call-iptables",
      "net.bridge.bridge-nf-call-iptables",
      "/proc/sys/net/bridge/bridge-nf-call-iptables",
    ],
  ])("%s is %s", (written, key, path) => {
    expect(keyOfName(written)).toBe(key);
    expect(pathOfKey(key)).toBe(path);
  });
});

describe("listings", () => {
  test("key = value, with tabs, blanks, comments and what the tool could not read", () => {
    const reading = read(
      "sysctl",
      [
        "net.ipv4.ip_forward = 1",
        "net.ipv4.tcp_rmem = 4096\t131072\t6291456",
        "net.ipv4.conf.eth0/100.rp_filter=2",
        "-net.ipv4.conf.all.arp_ignore = 1",
        "kernel.core_pattern = |/usr/bin/x %p = 3",
        "kernel.empty = ",
        "# a comment",
        "; another",
        "sysctl: cannot stat /proc/sys/net/bridge/bridge-nf-call-iptables: No such file or directory",
        'sysctl: error: "net.ipv4.vs.conntrack" is an unknown key',
        "sysctl: permission denied on key 'kernel.cad_pid'",
      ].join("\n"),
    );
    expect(pairs(reading)).toEqual([
      ["net.ipv4.ip_forward", "1"],
      ["net.ipv4.tcp_rmem", "4096\t131072\t6291456"],
      ["net.ipv4.conf.eth0/100.rp_filter", "2"],
      ["net.ipv4.conf.all.arp_ignore", "1"],
      ["kernel.core_pattern", "|/usr/bin/x %p = 3"],
      ["kernel.empty", ""],
    ]);
    expect(reading.facts[0]).toMatchObject({
      missing: [{ key: "net.bridge.bridge-nf-call-iptables" }, { key: "net.ipv4.vs.conntrack" }],
    });
    expect(reading.diagnostics.map((d) => [d.code, d.line, d.severity])).toEqual([["sysctl-unreadable", 11, "note"]]);
  });
  test("a file of sysctl.d says what is set at boot, a pattern in it not on what", () => {
    const reading = read("sysctl", "net.ipv4.ip_forward=1\nnet.ipv4.conf.*.rp_filter=2\n", {
      command: ["cat", "/etc/sysctl.d/k8s.conf"],
    });
    expect(reading.facts[0]).toMatchObject({ entries: [{ key: "net.ipv4.ip_forward", configured: true }] });
    expect(reading.diagnostics.map((d) => d.code)).toEqual(["sysctl-pattern"]);
  });
  test("paths: grep -r, head, a loop, cat of named files", () => {
    const rp = (iface: string) => `/proc/sys/net/ipv4/conf/${iface}/rp_filter`;
    const key = (iface: string) => `net.ipv4.conf.${iface}.rp_filter`;
    expect(pairs(read("proc-sys", `${rp("all")}:0\n${rp("eth0.5")}:1\n`))).toEqual([
      [key("all"), "0"],
      [key("eth0/5"), "1"],
    ]);
    expect(pairs(read("proc-sys", `==> ${rp("all")} <==\n0\n\n==> ${rp("lo")} <==\n1\n`))).toEqual([
      [key("all"), "0"],
      [key("lo"), "1"],
    ]);
    expect(pairs(read("proc-sys", `${rp("all")}\n0\n${rp("lo")} 1\n${rp("eth0")} = 2\n`))).toEqual([
      [key("all"), "0"],
      [key("lo"), "1"],
      [key("eth0"), "2"],
    ]);
    expect(pairs(read("proc-sys-file", "0\n2\n", { command: ["cat", rp("all"), rp("eth0")] }))).toEqual([
      [key("all"), "0"],
      [key("eth0"), "2"],
    ]);
    expect(pairs(read("proc-sys-file", "1\n", { command: ["sysctl", "-n", "net.ipv4.ip_forward"] }))).toEqual([
      ["net.ipv4.ip_forward", "1"],
    ]);
  });
  test("values without a name are not guessed", () => {
    const reading = read("proc-sys-file", "0\n1\n", { command: ["cat", "/proc/sys/net/ipv4/conf/*/rp_filter"] });
    expect(pairs(reading)).toEqual([]);
    expect(reading.diagnostics.map((d) => d.code)).toEqual(["sysctl-nameless-value", "sysctl-nameless-value"]);
  });
  test("a file that is not there is known not to be there", () => {
    const path = "/proc/sys/net/bridge/bridge-nf-call-iptables";
    const reading = read("proc-sys-file", `cat: ${path}: No such file or directory\n1\n`, {
      command: ["cat", path, "/proc/sys/net/ipv4/ip_forward"],
    });
    expect(pairs(reading)).toEqual([["net.ipv4.ip_forward", "1"]]);
    expect(reading.facts[0]).toMatchObject({ missing: [{ key: "net.bridge.bridge-nf-call-iptables" }] });
  });
});

describe("commands", () => {
  const origin = assumed("test");
  test.each([
    ["sysctl -w net.ipv4.ip_forward=1", [["net.ipv4.ip_forward", "1"]]],
    [
      "sudo sysctl -qw net.ipv4.conf.eth0/5.rp_filter=2 vm.swappiness=0 | cat",
      [
        ["net.ipv4.conf.eth0/5.rp_filter", "2"],
        ["vm.swappiness", "0"],
      ],
    ],
    ["sysctl -w net.ipv4.tcp_rmem='4096 87380 6291456'", [["net.ipv4.tcp_rmem", "4096 87380 6291456"]]],
    ["echo 2 > /proc/sys/net/ipv4/conf/eth0.5/rp_filter", [["net.ipv4.conf.eth0/5.rp_filter", "2"]]],
    ['echo "1" >/proc/sys/net/ipv4/ip_forward', [["net.ipv4.ip_forward", "1"]]],
    ["echo 1 | sudo tee /proc/sys/net/ipv4/ip_forward > /dev/null", [["net.ipv4.ip_forward", "1"]]],
    ["for i in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 2 > $i; done", [["net.ipv4.conf.*.rp_filter", "2"]]],
  ])("%s", (line, expected) => {
    const claim = dialects.find((d) => d.id === "sysctl-commands")!.claim(line);
    expect(claim).toBe("line");
    expect(parseSysctlCommand(line, origin)?.map((c) => [c.key, c.value])).toEqual(expected);
  });
  test.each(["sysctl -a", "sysctl net.ipv4.ip_forward", "echo 1 > /dev/null", "cat /proc/sys/net/ipv4/ip_forward", ""])(
    "%j sets nothing",
    (line) => expect(parseSysctlCommand(line, origin)).toBeUndefined(),
  );

  const map = (values: Readonly<Record<string, string>>): ReadonlyMap<string, SysctlEntry> =>
    new Map(Object.entries(values).map(([key, value]) => [key, { key, value, origin }]));
  const after = (before: Readonly<Record<string, string>>, line: string, interfaces: readonly string[] = []) =>
    Object.fromEntries(
      [...applySysctl(map(before), parseSysctlCommand(line, origin)!, interfaces)].map(([k, e]) => [k, e.value]),
    );
  test("a star stands for every interface that is known", () => {
    const set = after(
      { "net.ipv4.conf.eth0.rp_filter": "1" },
      "for i in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 2 > $i; done",
      ["eth1.7"],
    );
    expect(set).toEqual({
      "net.ipv4.conf.eth0.rp_filter": "2",
      "net.ipv4.conf.eth1/7.rp_filter": "2",
      "net.ipv4.conf.all.rp_filter": "2",
      "net.ipv4.conf.default.rp_filter": "2",
    });
  });
  test("ip_forward spreads to the interfaces, unless it was so already", () => {
    const before = { "net.ipv4.ip_forward": "0", "net.ipv4.conf.eth0.forwarding": "0" };
    expect(after(before, "sysctl -w net.ipv4.ip_forward=1")["net.ipv4.conf.eth0.forwarding"]).toBe("1");
    expect(after({ ...before, "net.ipv4.ip_forward": "1" }, "sysctl -w net.ipv4.ip_forward=1")).toEqual({
      "net.ipv4.ip_forward": "1",
      "net.ipv4.conf.eth0.forwarding": "0",
    });
  });
  test("conf.all does not spread otherwise", () => {
    const set = after({ "net.ipv4.conf.eth0.rp_filter": "1" }, "sysctl -w net.ipv4.conf.all.rp_filter=2");
    expect(set["net.ipv4.conf.eth0.rp_filter"]).toBe("1");
  });
});
