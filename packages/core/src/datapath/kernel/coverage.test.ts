import { describe, expect, test } from "vitest";
import {
  assumed,
  type IptablesTable,
  type IptablesTableName,
  type Match,
  type Rule,
  type Target,
  TCP,
} from "../../model/index.ts";
import { NO_OBJECTS } from "../../model/kubernetes.ts";
import { hostPrefix, ipv4Of } from "../../net/index.ts";
import { SET_TYPES, setType } from "../../parse/ipset/types.ts";
import { dialects } from "../../parse/iptables/index.ts";
import { matchExtensions, targetExtensions } from "../../parse/iptables/rule/registry.ts";
import { sourceOf } from "../../parse/source.ts";
import { hostStack } from "../../trace/hosts/synthesise.ts";
import { Walk } from "../../trace/walk/walk.ts";
import { matchRule } from "../iptables/matches/index.ts";
import { runTarget } from "../iptables/targets/index.ts";
import { DEVICE_COVERAGE, MATCH_COVERAGE, SET_COVERAGE, sysctlCoverage, TARGET_COVERAGE } from "./coverage.ts";
import { Undetermined } from "./oracle.ts";
import { newSkb, tcpPacket } from "./skb.ts";

/** One rule a match, as iptables-save prints it. */
const MATCHES: Readonly<Record<Match["kind"], string>> = {
  comment: '-m comment --comment "x"',
  tcp: "-p tcp -m tcp --dport 80",
  udp: "-p udp -m udp --dport 53",
  sctp: "-p sctp -m sctp --dport 80",
  dccp: "-p dccp -m dccp --dport 80",
  icmp: "-p icmp -m icmp --icmp-type 8",
  icmp6: "-m comment",
  multiport: "-p tcp -m multiport --dports 80,443",
  mark: "-m mark --mark 0x1",
  connmark: "-m connmark --mark 0x1",
  state: "-m state --state NEW",
  conntrack: "-m conntrack --ctstate NEW",
  addrtype: "-m addrtype --dst-type LOCAL",
  set: "-m set --match-set S dst",
  statistic: "-m statistic --mode random --probability 0.50000000000",
  limit: "-m limit --limit 3/hour",
  hashlimit: "-m hashlimit --hashlimit-upto 10/sec --hashlimit-burst 5 --hashlimit-name h",
  connlimit: "-m connlimit --connlimit-upto 3 --connlimit-mask 32 --connlimit-saddr",
  recent: "-m recent --set --name R --mask 255.255.255.255 --rsource",
  physdev: "-m physdev --physdev-is-bridged",
  owner: "-m owner --uid-owner 0",
  iprange: "-m iprange --src-range 10.0.0.1-10.0.0.9",
  mac: "-m mac --mac-source 02:00:00:00:00:01",
  length: "-m length --length 40:100",
  pkttype: "-m pkttype --pkt-type broadcast",
  ttl: "-m ttl --ttl-eq 64",
  hl: "-m comment",
  tos: "-m tos --tos 0x10/0x3f",
  dscp: "-m dscp --dscp 0x0a",
  rpfilter: "-m rpfilter",
  socket: "-m socket",
  tcpmss: "-p tcp -m tcpmss --mss 500:1500",
  helper: '-m helper --helper "ftp"',
  realm: "-m realm --realm 0x1",
  policy: "-m policy --dir in --pol none",
  other: "-m cpu --cpu 0",
  unknown: "-m nosuchmatch --x 1",
};

function ruleOf(text: string, table = "mangle", chain = "PREROUTING"): Rule {
  const save = dialects.find((d) => d.id === "iptables-save")!;
  const dump = `*${table}\n:${chain} ACCEPT [0:0]\n-A ${chain} ${text}\nCOMMIT\n`;
  const facts = save.read(sourceOf("t", dump), {}).facts[0] as { readonly tables: readonly IptablesTable[] };
  return facts.tables[0]!.chains[0]!.rules[0]!;
}

const origin = assumed("test");
const stack = hostStack("n", "node", hostPrefix(ipv4Of(0x0a000001)), undefined, "endpoint", origin);
const PLACE = { stack: "n", backend: "nft", number: 1 } as const;

function kernelAndPacket(protocol: number) {
  const world = {
    stacks: [stack],
    links: [],
    fabric: { srcDstCheck: false, deny: [], origin },
    loadBalancers: [],
    kubernetes: NO_OBJECTS,
    assumptions: [],
  };
  const oracle = {
    chance: () => 0,
    fact: (_: unknown, values: readonly string[]) => values[0]!,
    assume: () => {},
    rests: () => true,
  };
  const walk = new Walk(world, { client: "n", to: ipv4Of(1), port: 80, protocol: 6, size: 100 }, oracle);
  const skb = newSkb(0, {
    ...tcpPacket(ipv4Of(0x0a000005), 40000, ipv4Of(0x0a000001), 80, TCP.SYN),
    protocol,
    mss: 1460,
  });
  skb.sourceMac = "02:00:00:00:00:09";
  const kernel = walk.kernel("n")!;
  const eth0 = kernel.device("eth0")!;
  skb.dev = eth0;
  return { kernel, skb, eth0 };
}

describe("every match the reader knows is simulated or honestly unknown", () => {
  test.each(Object.keys(MATCH_COVERAGE) as Match["kind"][])("%s", (kind) => {
    if (kind === "icmp6" || kind === "hl") return expect(MATCH_COVERAGE[kind]).toBe("simulated");
    const rule = ruleOf(MATCHES[kind]);
    expect(rule.matches.map((m) => m.kind)).toContain(kind);
    const { kernel, skb, eth0 } = kernelAndPacket(rule.protocol?.value ?? 6);
    const answer = matchRule(kernel, rule, skb, { hook: "PREROUTING", in: eth0 });
    if (MATCH_COVERAGE[kind] === "unknown") expect(answer).toBe("unknown");
    else expect(typeof answer).toBe("boolean");
  });
  test("no extension is left out", () => {
    const kinds = new Set(Object.keys(MATCH_COVERAGE));
    expect(matchExtensions.length).toBeGreaterThan(50);
    for (const kind of Object.keys(MATCHES)) expect(kinds.has(kind)).toBe(true);
  });
});

const TARGETS: Readonly<Partial<Record<Target["kind"], readonly [string, IptablesTableName, string]>>> = {
  queue: ["-j NFQUEUE --queue-num 1", "mangle", "PREROUTING"],
  tproxy: ["-p tcp -j TPROXY --on-port 15001 --on-ip 0.0.0.0 --tproxy-mark 0x1/0x1", "mangle", "PREROUTING"],
  other: ["-j SYNPROXY --sack-perm", "filter", "FORWARD"],
  unknown: ["-j NOSUCH --x 1", "filter", "FORWARD"],
  mark: ["-j MARK --set-xmark 0x1/0xffffffff", "mangle", "PREROUTING"],
  accept: ["-j ACCEPT", "mangle", "PREROUTING"],
  tos: ["-j TOS --set-tos 0x10/0x3f", "mangle", "PREROUTING"],
  nflog: ["-j NFLOG --nflog-group 1", "mangle", "PREROUTING"],
};

describe("every target the reader knows is simulated or ends the walk", () => {
  test.each(Object.entries(TARGETS))("%s", (kind, [text, table, chain]) => {
    const rule = ruleOf(text, table, chain);
    const { kernel, skb, eth0 } = kernelAndPacket(6);
    const run = () => runTarget(kernel, rule, skb, { hook: "PREROUTING", in: eth0 }, { ...PLACE, table, chain });
    if (TARGET_COVERAGE[kind as Target["kind"]] === "unknown") expect(run).toThrow(Undetermined);
    else expect(run).not.toThrow();
  });
  test("there are targets, and each kind has its line", () => {
    expect(targetExtensions.length).toBeGreaterThan(20);
    expect(Object.values(TARGET_COVERAGE).every((c) => c !== undefined)).toBe(true);
  });
});

describe("sets, sysctls and devices", () => {
  test.each(SET_TYPES)("set type %s", (name) => {
    for (const d of setType(name)!.dimensions) expect(SET_COVERAGE[d]).toBeDefined();
  });
  test("sysctls", () => {
    expect(sysctlCoverage("net.ipv4.conf.eth0.rp_filter")).toBe("simulated");
    expect(sysctlCoverage("net.ipv4.vs.conntrack")).toBe("simulated");
    expect(sysctlCoverage("net.ipv4.tcp_rmem")).toBe("no effect");
  });
  test("devices", () => {
    expect(DEVICE_COVERAGE.vrf).toBe("unknown");
    expect(DEVICE_COVERAGE.veth).toBe("simulated");
  });
});
