import { ADDRESSES, ask, filter, NODE, nat, POD, ROUTES, toService } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

/** What was seen is enough for a cause: nothing of the rules or routes behind it need be shown. */

const log = (prefix: string, fields: string) => `[ 1234.567890] ${prefix}${fields}\n`;
const packet = (src: string, dst: string, dpt: number) =>
  `IN=cni0 OUT= MAC=52:54:00:00:01:01:52:54:00:00:01:05:08:00 SRC=${src} DST=${dst} LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=4711 DF PROTO=TCP SPT=49720 DPT=${dpt} WINDOW=64860 RES=0x00 SYN URGP=0`;
const toNode = { from: POD, to: "10.0.0.1:10250" };

describe("a LOG line that says drop", () => {
  const logged = (line: string, more = {}) => ask({ "nodes/a/dmesg.txt": line, ...more }, toNode);
  test("names the place, and the verdict is not reachable", () => {
    const { verdict, causes } = logged(log("FW input DROP: ", packet(POD, "10.0.0.1", 10250)));
    expect(verdict).toBe("undetermined");
    expect(causes[0]).toMatchObject({ code: "RULE_DROP", certainty: "inferred", stack: "a", step: "filter INPUT" });
  });
  test("beside rules that were shown without it", () => {
    const { verdict, claims } = logged(log("FW input DROP: ", packet(POD, "10.0.0.1", 10250)), NODE);
    expect([verdict, claims[0]]).toEqual(["undetermined", "RULE_DROP inferred"]);
  });
  test("guard: the prefix says nothing of the kind", () => {
    expect(logged(log("FW input: ", packet(POD, "10.0.0.1", 10250))).codes).not.toContain("RULE_DROP");
  });
  test("guard: another port", () => {
    expect(logged(log("FW input DROP: ", packet(POD, "10.0.0.1", 22))).codes).not.toContain("RULE_DROP");
  });
  test("guard: another client's packet is a suspicion only", () => {
    expect(logged(log("FW input DROP: ", packet("10.244.1.9", "10.0.0.1", 10250))).claims).toEqual([
      "RULE_DROP possible",
    ]);
  });
  test("guard: the LOG rule was shown, so the walk knows what follows it", () => {
    const rules = '-A INPUT -p tcp -m tcp --dport 10250 -j LOG --log-prefix "would DROP: "\n';
    const files = { ...NODE, "nodes/a/iptables-save.txt": nat() + filter(rules) };
    const line = log("would DROP: ", packet(POD, "10.0.0.1", 10250));
    expect(logged(line, files).codes).not.toContain("RULE_DROP");
  });
});

describe("a trace of nftables that ends in a drop", () => {
  const traced = (
    verdict: string,
    dst = "10.0.0.1",
  ) => `trace id 1a2b3c4d inet site input packet: iif "cni0" ip saddr ${POD} ip daddr ${dst} ip ttl 64 ip id 7 ip length 60 tcp sport 49720 tcp dport 10250 tcp flags == syn
trace id 1a2b3c4d inet site input rule tcp dport 10250 ${verdict} (verdict ${verdict})
`;
  const asked = (text: string) => ask({ "nodes/a/nft-monitor-trace.txt": text }, toNode);
  test("is a rule that drops", () => {
    expect(asked(traced("drop")).causes[0]).toMatchObject({ code: "RULE_DROP", certainty: "inferred", stack: "a" });
  });
  test("guard: it ends otherwise, or is of another flow", () => {
    expect(asked(traced("accept")).codes).not.toContain("RULE_DROP");
    expect(asked(traced("drop", "10.0.0.9")).codes).not.toContain("RULE_DROP");
  });
});

describe("a chain of nftables pasted without its table", () => {
  const chain = (rule: string) => `chain site-forward {
        iifname "wan0" counter packets 4 bytes 240 accept
        ${rule}
}
`;
  const asked = (rule: string) => ask({ ...NODE, "nodes/a/nft-list-chain.txt": chain(rule) }, toService());
  test("is no empty rule set: a drop that counted is suspected", () => {
    const { verdict, causes } = asked(
      'oifname "eth0" ct state ! established,related counter packets 12 bytes 720 drop',
    );
    expect(verdict).toBe("undetermined");
    expect(causes.find((c) => c.code === "NFT_SECOND_TABLE_DROP")?.lines).toEqual([
      'oifname "eth0" ct state ! established,related counter packets 12 bytes 720 drop',
    ]);
  });
  test.each([
    ["it never counted", "counter packets 0 bytes 0 drop"],
    ["it asks for another protocol", "udp dport 53 counter packets 3 bytes 99 drop"],
    ["it asks for another port", "tcp dport 22 counter packets 3 bytes 99 drop"],
    ["it asks for others' addresses", "ip saddr 192.0.2.0/24 counter packets 3 bytes 99 drop"],
    ["it asks for what is no new connection", "ct state invalid counter packets 3 bytes 99 drop"],
  ])("guard: %s", (_, rule) => {
    const { verdict, causes } = asked(rule);
    expect(verdict).toBe("undetermined");
    expect(causes.filter((c) => c.step === "nftables site-forward")).toEqual([]);
  });
});

describe("a martian line that is the flow's answer", () => {
  const martian = (dst: string, src: string) =>
    `[ 99.100000] IPv4: martian source ${dst} from ${src}, on dev eth0\n[ 99.100001] ll header: 00000000: 52 54 00 00 00 01 52 54 00 00 00 02 08 00\n`;
  const asked = (text: string) => ask({ "nodes/a/ip-route.txt": ROUTES, "nodes/a/dmesg.txt": text }, toService());
  test("is source validation", () => {
    expect(asked(martian(POD, "10.96.0.20")).causes[0]).toMatchObject({
      code: "RP_FILTER_STRICT",
      certainty: "inferred",
      direction: "reply",
    });
  });
  test("guard: of somebody else's packet", () => {
    expect(asked(martian("10.244.1.9", "10.96.0.20")).codes).not.toContain("RP_FILTER_STRICT");
  });
});

describe("the answer on another card than the request", () => {
  const from = "203.0.113.9";
  const syn = (t: number) =>
    `10:00:0${t}.000000 IP ${from}.40000 > 10.0.0.1.31080: Flags [S], seq 1, win 29200, length 0\n`;
  const back = (t: number) =>
    `10:00:0${t}.000200 IP 10.0.0.1.31080 > ${from}.40000: Flags [S.], seq 9, ack 2, win 26847, length 0\n`;
  const asked = (files: Readonly<Record<string, string>>) => ask(files, { from, to: "10.0.0.1:31080" });
  const files = {
    "nodes/a/ip-addr.txt": ADDRESSES,
    "nodes/a/ip-route.txt": ROUTES,
    "nodes/a/tcpdump.eth0.txt": syn(0) + syn(1),
    "nodes/a/tcpdump.eth1.txt": back(0) + back(1),
  };
  test("is suspected of a network that checks sources", () => {
    expect(asked(files).codes).toContain("CLOUD_SRC_DST_CHECK");
  });
  test("and the rule that sends it there is named", () => {
    const ruled = {
      ...files,
      "nodes/a/ip-rule.txt":
        "0:\tfrom all lookup local\n1536:\tfrom 10.244.1.7 lookup 2\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
      "nodes/a/ip-route-table-2.txt": "default via 10.0.0.254 dev eth1\n10.0.0.254 dev eth1 scope link\n",
    };
    expect(asked(ruled).codes).toContain("POLICY_ROUTE_POD_SOURCE");
  });
  test("guard: it leaves by the same card, too", () => {
    const both = { ...files, "nodes/a/tcpdump.eth0.txt": syn(0) + back(0) + syn(1) + back(1) };
    expect(asked(both).codes).not.toContain("CLOUD_SRC_DST_CHECK");
  });
});

describe("an entry of conntrack, and no rules", () => {
  const entry = (src: string, target: string) =>
    `udp      17 118 src=${src} dst=10.96.0.30 sport=5060 dport=5060 src=${target} dst=${src} sport=5060 dport=5060\n`;
  const asked = (text: string, more = {}, sport = 5060) =>
    ask({ "nodes/a/conntrack-L.txt": text, ...more }, { from: POD, to: "10.96.0.30:5060", proto: "udp", sport });
  test("sends the flow to somebody whom nothing names now", () => {
    const { verdict, causes } = asked(entry(POD, "10.244.2.40"));
    expect(verdict).not.toBe("reachable");
    expect(causes.find((c) => c.code === "CONNTRACK_STALE_UDP")?.certainty).toBe("possible");
  });
  test("guard: another client's entry, or another source port", () => {
    expect(asked(entry("10.244.1.9", "10.244.2.40")).codes).not.toContain("CONNTRACK_STALE_UDP");
    expect(asked(entry(POD, "10.244.2.40"), {}, 5070).codes).not.toContain("CONNTRACK_STALE_UDP");
  });
  test("guard: a rule still names the target", () => {
    const rules = nat("10.244.2.40").replaceAll("-p tcp", "-p udp").replaceAll("-m tcp", "-m udp");
    expect(asked(entry(POD, "10.244.2.40"), { "nodes/a/iptables-save.txt": rules }).codes).not.toContain(
      "CONNTRACK_STALE_UDP",
    );
  });
});

describe("an entry that was never answered", () => {
  const entry = (src: string) =>
    `tcp      6 100 SYN_SENT src=${src} dst=10.96.0.20 sport=41000 dport=80 [UNREPLIED] src=10.244.2.7 dst=${src} sport=8080 dport=41000 mark=0 use=1\n`;
  test("speaks against a walk that delivers where it is this client's, and says nothing where it is another's", () => {
    const asked = (src: string) => ask({ ...NODE, "nodes/a/conntrack-L.txt": entry(src) }, toService());
    expect(asked(POD).contradictions.join()).toContain("[UNREPLIED]");
    expect(asked("10.244.1.9").contradictions).toEqual([]);
  });
  test("nor one in SYN_RECV: the answer never got to the client, and the request did not get lost", () => {
    const received = (src: string) => entry(src).replace("SYN_SENT", "SYN_RECV").replace("[UNREPLIED] ", "");
    const asked = (src: string, more = {}) =>
      ask({ ...NODE, ...more, "nodes/a/conntrack-L.txt": received(src) }, toService());
    expect(asked(POD).verdict).toBe("undetermined");
    expect(asked(POD).contradictions.join()).toContain("SYN_RECV");
    expect(asked("10.244.1.9").contradictions).toEqual([]);
    const drops = { "nodes/a/iptables-save.txt": nat() + filter("-A FORWARD -d 10.244.2.7/32 -j DROP\n") };
    expect(asked(POD, drops).claims).toEqual(["RULE_DROP inferred"]);
  });
});

describe("fragments of a tunnel", () => {
  const vxlan = "IP 10.0.0.2.38912 > 10.0.0.1.4789: VXLAN, flags [I] (0x08), vni 256\n";
  const inner = (client: string, cut: string) =>
    `IP ${cut}10.244.2.7.8080 > ${client}.38579: Flags [.], seq 171:1569, ack 83, win 219, length 1398\n`;
  const asked = (client: string, cut: string, sees?: string) =>
    ask(
      {
        "nodes/b/tcpdump.eth0.txt": `16:53:02.056314 ${vxlan}${inner(client, cut)}16:53:02.056322 IP 10.0.0.2 > 10.0.0.1: ip-proto-17\n`,
      },
      { from: POD, to: "10.244.2.7:8080", ...(sees === undefined ? {} : { sees }) },
    ).claims;
  const CUT = "truncated-ip - 104 bytes missing! ";
  test("that carry the flow are suspected, and more where it was seen to stall", () => {
    expect(asked(POD, CUT)).toContain("MTU_BLACKHOLE possible");
    expect(asked(POD, CUT, "stalled")).toContain("MTU_BLACKHOLE inferred");
  });
  test("guard: whole, or another client's", () => {
    expect(asked(POD, "").join()).not.toContain("MTU_BLACKHOLE");
    expect(asked("10.244.1.9", CUT).join()).not.toContain("MTU_BLACKHOLE");
  });
});

describe("what a node received it did not lose", () => {
  const line = (t: string, from: string, to: string, flags: string) =>
    `${t} IP ${from} > ${to}: Flags ${flags}, win 28960, length 0\n`;
  test("captures of the receiver and of a gateway: no filter between them", () => {
    const here = [0, 1, 3]
      .map(
        (s) =>
          line(`07:38:2${s}.360716`, "169.254.9.2.50710", "10.0.0.2.8080", "[S], seq 7680") +
          line(`07:38:2${s}.360762`, "10.0.0.2.8080", "169.254.9.2.50710", "[S.], seq 2142, ack 7681"),
      )
      .join("");
    const gateway = [0, 1, 3]
      .map((s) => line(`19:39:4${s}.487362`, "10.0.0.2.8080", "169.254.9.2.50714", "[S.], seq 4149, ack 2515"))
      .join("");
    const files = {
      "nodes/b/ip-addr.txt": ADDRESSES.replace("10.0.0.1/24", "10.0.0.2/24"),
      "nodes/b/tcpdump.eth0.txt": here,
      "nodes/gateway/tcpdump.eth0.txt": gateway,
    };
    const { codes } = ask(files, { from: "169.254.9.2", to: "10.0.0.2:8080", sees: "timeout" });
    expect(codes).not.toContain("UNDERLAY_FILTER");
  });
});

describe("ip6tables' policy", () => {
  const asked = (policy: string) =>
    ask(
      {
        "nodes/a/ip6tables-L.txt": `# ip6tables -L\nChain FORWARD (policy ${policy})\ntarget     prot opt source               destination\n`,
      },
      { from: "fd00:1::5", to: "fd00:2::7", proto: "icmp" },
    );
  test("of FORWARD is DROP: a suspicion, while IPv6 is not walked", () => {
    expect([asked("DROP").verdict, asked("DROP").claims]).toEqual(["undetermined", ["FORWARD_POLICY_DROP possible"]]);
    expect(asked("ACCEPT").claims).toEqual([]);
  });
});

describe("two dumps of one node that cannot both be true", () => {
  const twice = (second: string) => ({ ...NODE, "nodes/a/iptables-save.2.txt": second });
  test("a delivered walk through one of them is not the last word", () => {
    const { verdict, contradictions } = ask(twice(nat("10.244.2.9") + filter()), toService());
    expect(verdict).toBe("undetermined");
    expect(contradictions[0]).toContain("two dumps of a contradict each other");
  });
  test("and nothing is proven", () => {
    const dropped = filter("-A FORWARD -d 10.244.2.7/32 -j DROP\n");
    const files = { ...NODE, "nodes/a/iptables-save.txt": nat() + dropped };
    expect(ask(files, toService()).claims).toEqual(["RULE_DROP proven"]);
    expect(ask({ ...files, "nodes/a/iptables-save.2.txt": nat() + filter() }, toService()).claims).toEqual([
      "RULE_DROP inferred",
    ]);
  });
  test("guard: the same, shown twice", () => {
    expect(ask(twice(nat() + filter()), toService()).contradictions).toEqual([]);
  });
});

describe("two connections are never taken for one", () => {
  const flow = (client: string, seq: number, answered: boolean) =>
    `10:00:00.000001 IP ${client} > 10.96.0.20.80: Flags [S], seq ${seq}, win 64240, length 0\n` +
    (answered
      ? `10:00:00.000301 IP 10.96.0.20.80 > ${client}: Flags [S.], seq 9, ack ${seq + 1}, win 65160, length 0\n10:00:00.000401 IP ${client} > 10.96.0.20.80: Flags [.], ack 1, win 502, length 0\n`
      : `10:00:01.000001 IP ${client} > 10.96.0.20.80: Flags [S], seq ${seq}, win 64240, length 0\n`);
  test("sequence numbers that somebody counted from nought tell nothing", () => {
    const text = flow(`${POD}.40000`, 1, false) + flow("10.244.1.9.41000", 1, true);
    const { contradictions } = ask({ ...NODE, "nodes/a/tcpdump.cni0.txt": text }, toService());
    expect(contradictions.join()).toContain("retransmitted without a reply");
  });
});

describe("a port that is used again within one capture", () => {
  const syn = (t: string, seq: number) =>
    `10:00:${t} IP ${POD}.40000 > 10.96.0.20.80: Flags [S], seq ${seq}, win 64240, length 0\n`;
  const answered = (t: string, seq: number) =>
    `${syn(`${t}.000001`, seq)}10:00:${t}.000301 IP 10.96.0.20.80 > ${POD}.40000: Flags [S.], seq 99000000, ack ${seq + 1}, win 65160, length 0\n10:00:${t}.000401 IP ${POD}.40000 > 10.96.0.20.80: Flags [.], ack 1, win 502, length 0\n`;
  test("is two connections: that the first came about says nothing of the second", () => {
    const text = answered("00", 70000001) + syn("30.000001", 80000001) + syn("31.000001", 80000001);
    const { contradictions, verdict } = ask({ ...NODE, "nodes/a/tcpdump.cni0.txt": text }, toService());
    expect(verdict).not.toBe("reachable");
    expect(contradictions.join()).toContain("retransmitted without a reply");
  });
});

describe("BLACKHOLE_ROUTE", () => {
  const asked = (route: string) =>
    ask({ ...NODE, "nodes/a/ip-route.txt": `${ROUTES.replace(/^10\.244\.2.*\n/m, "")}${route}\n` }, toService());
  test("Calico's own is no fault to be taken away, others are", () => {
    expect(asked("blackhole 10.244.2.0/26 proto bird").claims).toEqual(["BLACKHOLE_ROUTE inferred"]);
    expect(asked("blackhole 10.244.2.0/26").causes[0]?.without).toBeDefined();
  });
});
