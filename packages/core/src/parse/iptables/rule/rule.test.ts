import { describe, expect, it } from "vitest";
import type { Rule } from "../../../model/index.ts";
import { printRuleSpec, ruleArguments } from "./print.ts";
import { readRule } from "./rule.ts";
import { splitWords } from "./words.ts";

interface Complaint {
  readonly code: string;
  readonly at: string;
}

function read(spec: string, more: { family?: 4 | 6; chain?: string; table?: "nat" | "filter" } = {}) {
  const words = splitWords(spec);
  const complaints: Complaint[] = [];
  const rules = readRule(words, 0, {
    family: more.family ?? 4,
    backend: "unknown",
    table: more.table,
    chain: more.chain ?? "USER",
    origin: { kind: "assumed", rule: "test" },
    counters: undefined,
    report: (_severity, code, _message, word) => complaints.push({ code, at: words.texts[word] ?? "" }),
  });
  return { rules, rule: rules[0] as Rule, complaints, printed: rules.map((r) => printRuleSpec(r, more.family ?? 4)) };
}

describe("options of iptables itself", () => {
  it("reads every form of -s, -d, -i, -o, -p", () => {
    const { rule, complaints } = read("-s 10.1.2.3/8 ! -d 192.0.2.7 -i eth+ ! -o lo -p udp -j ACCEPT");
    expect(complaints).toEqual([]);
    expect(rule.source).toEqual({ value: { address: 0x0a000000, mask: 0xff000000 }, negated: false });
    expect(rule.destination).toEqual({ value: { address: 0xc0000207, mask: 0xffffffff }, negated: true });
    expect(rule.inInterface).toEqual({ value: "eth+", negated: false });
    expect(rule.outInterface).toEqual({ value: "lo", negated: true });
    expect(rule.protocol).toEqual({ value: 17, negated: false });
    expect(rule.target).toEqual({ kind: "accept" });
  });

  it("takes glued, long and abbreviated options, and the old place of the exclamation mark", () => {
    const wanted = ["! -s 10.0.0.1/32 -p tcp -m tcp ! --dport 80 -j DROP"];
    for (const spec of [
      "! -s10.0.0.1 -ptcp ! --dport=80 -jDROP",
      "-s ! 10.0.0.1 --proto tcp --destination-port ! 80 --jump DROP",
      "! --src 10.0.0.1 --protocol tcp ! --destination-po 80 -j DROP",
    ]) {
      const { printed, complaints } = read(spec);
      expect(complaints, spec).toEqual([]);
      expect(printed, spec).toEqual(wanted);
    }
  });

  it("spreads lists of addresses over rules, as iptables does", () => {
    expect(read("-s 10.0.0.1,10.0.0.2 -d 192.0.2.1,192.0.2.2 -j DROP").printed).toEqual([
      "-s 10.0.0.1/32 -d 192.0.2.1/32 -j DROP",
      "-s 10.0.0.1/32 -d 192.0.2.2/32 -j DROP",
      "-s 10.0.0.2/32 -d 192.0.2.1/32 -j DROP",
      "-s 10.0.0.2/32 -d 192.0.2.2/32 -j DROP",
    ]);
    const many = Array.from({ length: 20 }, (_, i) => `10.0.0.${i}`).join(",");
    const square = read(`-s ${many} -d ${many} -j DROP`);
    expect(square.rules.length).toBe(20);
    expect(square.complaints.map((c) => c.code)).toEqual(["iptables-bad-value"]);
    expect(square.rule.matches[0]).toMatchObject({ kind: "unknown", name: "-d" });
  });

  it("keeps what -p said where the number's name differs between machines", () => {
    expect(read("-p 4 -j ACCEPT").rule).toMatchObject({ protocol: { value: 4 }, protocolName: "4" });
    expect(read("-p ipv4 -j ACCEPT").printed).toEqual(["-p ipv4 -j ACCEPT"]);
    expect(read("-p ipencap -j ACCEPT").rule.protocolName).toBeUndefined();
    expect(read("-p 6 -j ACCEPT").printed).toEqual(["-p tcp -j ACCEPT"]);
  });

  it("counters", () => {
    expect(read("-c 5 6 -j ACCEPT").rule.counters).toEqual({ packets: 5, bytes: 6 });
    expect(read("-c 5,6 -j ACCEPT").rule.counters).toEqual({ packets: 5, bytes: 6 });
  });
});

describe("what is not understood stays, and is pointed at", () => {
  const cases: readonly (readonly [spec: string, code: string, at: string, printed: string])[] = [
    ["-m addtype --dst-type LOCAL -j X", "iptables-unknown-match", "addtype", "-m addtype --dst-type LOCAL -j X"],
    ["-p tcp --dportt 80 -j X", "iptables-unknown-option", "--dportt", "-p tcp --dportt 80 -j X"],
    ["-p tcp --dport 80000 -j X", "iptables-bad-value", "80000", "-p tcp --dport 80000 -j X"],
    ["-d <SLB-IP> -j X", "iptables-bad-value", "<SLB-IP>", "-d <SLB-IP> -j X"],
    ["! -s nowhere -j X", "iptables-bad-value", "nowhere", "! -s nowhere -j X"],
    ["-m mark --mark 1 --mark 2", "iptables-option-twice", "--mark", "-m mark --mark 1 --mark 2"],
    ["-m comment -j X", "iptables-missing-option", "-m", "-m comment -j X"],
    ["-m state wrong -j X", "iptables-stray-word", "wrong", "-m state wrong -j X"],
    ["-m statistic --mode random", "iptables-bad-options", "-m", "-m statistic --mode random"],
    ["-j MARK --set-mark", "iptables-missing-value", "--set-mark", "-j MARK --set-mark"],
    ["-j FOO --bar 1", "iptables-unknown-option", "--bar", "-j FOO --bar 1"],
    ["-j ACCEPT -j DROP", "iptables-option-twice", "-j", "-j ACCEPT -j DROP"],
    ["-p tcp -p udp", "iptables-option-twice", "udp", "-p tcp -p udp"],
    ["-m tcp --dport 1", "iptables-needs-protocol", "-m", "-m tcp --dport 1"],
    ["! -j ACCEPT", "iptables-not-negatable", "!", "-j ACCEPT"],
    ["-j ACCEPT !", "iptables-stray-word", "!", "-j ACCEPT"],
    ["-s 2001:db8::1 -j X", "iptables-bad-value", "2001:db8::1", "-s 2001:db8::1 -j X"],
  ];
  it.each(cases)("%s", (spec, code, at, printed) => {
    const got = read(spec);
    expect(got.complaints).toContainEqual({ code, at });
    expect(got.printed).toEqual([printed]);
  });

  it("a rule with something unknown never matches more than it says", () => {
    for (const [spec] of cases.slice(0, 9)) {
      const { rule } = read(spec);
      const unknown = rule.matches.some((m) => m.kind === "unknown") || rule.target.kind === "unknown";
      expect(unknown, spec).toBe(true);
    }
  });

  it("places an extension in the wrong table or hook", () => {
    expect(read("-j MASQUERADE", { table: "filter" }).complaints[0]?.code).toBe("iptables-wrong-table");
    expect(read("-j MASQUERADE", { table: "nat", chain: "PREROUTING" }).complaints[0]?.code).toBe(
      "iptables-wrong-hook",
    );
    expect(read("-j MASQUERADE", { table: "nat", chain: "KUBE-POSTROUTING" }).complaints).toEqual([]);
  });

  it("gives up on lines longer than any rule", () => {
    const got = read(`${"-m tcp ".repeat(5000)}-j X`);
    expect(got.complaints.map((c) => c.code)).toContain("iptables-line-too-long");
    expect(read(`-p tcp ${"-m tcp ".repeat(200)}-j X`).complaints.map((c) => c.code)).toContain(
      "iptables-line-too-long",
    );
  });
});

describe("names of JavaScript's own are names like any other", () => {
  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("%s", (name) => {
    expect(read(`-j ${name}`).rule.target).toEqual({ kind: "jump", chain: name, goto: false });
    expect(read(`-m ${name} -j X`).rule.matches[0]).toMatchObject({ kind: "unknown", name });
    expect(read(`-p tcp -j TCPOPTSTRIP --strip-options ${name}`).rule.target.kind).toBe("unknown");
    expect(read(`-p ${name} -j X`).rule.matches[0]).toMatchObject({ kind: "unknown" });
  });
});

describe("arguments for the real tool", () => {
  it("are bare words, whatever they hold", () => {
    const { rule } = read(
      '-p tcp -m comment --comment "a; rm -rf \\"x\\" $(id)" -m tcp --dport 80 -j LOG --log-prefix "two words "',
    );
    expect(ruleArguments(rule, 4)).toEqual([
      "-p",
      "tcp",
      "-m",
      "comment",
      "--comment",
      'a; rm -rf "x" $(id)',
      "-m",
      "tcp",
      "--dport",
      "80",
      "-j",
      "LOG",
      "--log-prefix",
      "two words ",
    ]);
  });
});

describe("typed records", () => {
  const cases: readonly (readonly [string, object])[] = [
    ["-m mark ! --mark 0x4000/0x4000", { kind: "mark", value: 0x4000, mask: 0x4000, negated: true }],
    [
      "-m statistic --mode random --probability 0.33333333349",
      { kind: "statistic", mode: "random", probability: 715827883, negated: false },
    ],
    ["-m set ! --match-set S dst,src", { kind: "set", name: "S", directions: ["dst", "src"], negated: true }],
    [
      "-m addrtype ! --dst-type LOCAL",
      { kind: "addrtype", destination: { value: ["LOCAL"], negated: true }, limitIn: false },
    ],
    [
      "-m conntrack --ctstate RELATED,ESTABLISHED,DNAT",
      { kind: "conntrack", states: { value: ["RELATED", "ESTABLISHED", "DNAT"], negated: false } },
    ],
    [
      "-m recent --rcheck --seconds 10 --reap --name X",
      { kind: "recent", command: "rcheck", seconds: 10, reap: true, name: "X", side: "source", mask: 0xffffffff },
    ],
    ["-p tcp --syn", { kind: "tcp", flags: { value: { mask: 23, set: 2 }, negated: false } }],
    ["-p icmp --icmp-type any", { kind: "icmp", type: 255, code: { from: 0, to: 255 }, negated: false }],
    [
      "-p udp -m multiport --dports 1,5:9",
      {
        kind: "multiport",
        direction: "destination",
        ports: [
          { from: 1, to: 1 },
          { from: 5, to: 9 },
        ],
        negated: false,
      },
    ],
    ["-m physdev ! --physdev-is-in", { kind: "physdev", isIn: { negated: true } }],
    ["-m owner --uid-owner 1337", { kind: "owner", uid: { value: { from: 1337, to: 1337 }, negated: false } }],
    ["-m rpfilter --loose --invert", { kind: "rpfilter", loose: true, validMark: false, invert: true }],
    ["-m limit --limit 5/min", { kind: "limit", rate: "5/min", burst: 5 }],
    ["-m connlimit ! --connlimit-upto 3", { kind: "connlimit", test: "above", count: 3, mask: 32, address: "saddr" }],
    ["-m string --algo bm --string a", { kind: "other", name: "string", options: ["--string", "a", "--algo", "bm"] }],
  ];
  it.each(cases)("%s", (spec, record) => expect(read(spec).rule.matches[0]).toMatchObject(record));

  const targets: readonly (readonly [string, object])[] = [
    ["-j MARK --or-mark 0x4000", { kind: "mark", value: 0x4000, mask: 0x4000 }],
    ["-j MARK --and-mark 0xff", { kind: "mark", value: 0, mask: 0xffffff00 }],
    ["-j MARK --xor-mark 0x4000", { kind: "mark", value: 0x4000, mask: 0 }],
    ["-j MARK --set-mark 0x1/0xf0", { kind: "mark", value: 1, mask: 0xf1 }],
    ["-j CONNMARK --restore-mark", { kind: "connmark", action: "restore", nfMask: 0xffffffff, ctMask: 0xffffffff }],
    ["-g X", { kind: "jump", chain: "X", goto: true }],
    ["-j REJECT", { kind: "reject", with: "icmp-port-unreachable" }],
    [
      "-p tcp -j DNAT --to-destination 10.0.0.1:80",
      {
        kind: "dnat",
        to: { addresses: { from: 0x0a000001, to: 0x0a000001 }, ports: { from: 80, to: 80 } },
        random: false,
      },
    ],
    [
      "-p tcp -j DNAT --to-destination :80-90/8000",
      { kind: "dnat", to: { ports: { from: 80, to: 90 }, basePort: 8000 } },
    ],
    ["-j MASQUERADE --random-fully", { kind: "masquerade", random: false, randomFully: true }],
    ["-p tcp -j REDIRECT --to-ports 15001", { kind: "redirect", ports: { from: 15001, to: 15001 }, random: false }],
    ["-j NETMAP --to 10.1.2.3/24", { kind: "netmap", address: 0x0a010200, mask: 0xffffff00 }],
    ["-j LOG --log-prefix x", { kind: "log", prefix: "x", uid: false }],
    ["-p tcp -j TPROXY --on-port 5", { kind: "tproxy", port: 5, address: 0, mark: 0, mask: 0 }],
    ["-j SET --add-set s src --exist", { kind: "set", action: "add", name: "s", directions: ["src"], exist: true }],
    ["-j CT --notrack", { kind: "ct", notrack: true }],
    ["-j NFQUEUE", { kind: "other", name: "NFQUEUE", options: ["--queue-num", "0"] }],
  ];
  it.each(targets)("%s", (spec, record) => expect(read(spec).rule.target).toMatchObject(record));
});
