import { cpuMilliseconds } from "@hairpin/testing/cpu.ts";
import { arp, cooked2, ethernet, icmpError, pcap, pcapng, tcp, vxlan } from "@hairpin/testing/frames.ts";
import { observe } from "@hairpin/testing/observed.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import { observationsOf } from "../assemble/index.ts";
import { CaptureReader } from "../parse/capture/binary/read.ts";
import { observedDialects, sourceOf } from "../parse/index.ts";
import { connectionsOf, derivedFacts, loggedPackets } from "./index.ts";

/** A few lines of every dialect, to be damaged. */
const SAMPLES: Readonly<Record<string, string>> = {
  "service-log": `Jun 12 10:20:30 n1 kubelet[812]: E0612 10:20:30.123456     812 kubelet.go:1] "x" err="listen tcp4 :30080: bind: address already in use"
I0612 10:20:30.123456       1 server_others.go:170] Using ipvs Proxier.
time="2024-01-02T03:04:05Z" level=warning msg="slow"
{"level":"error","ts":"2024-01-02T03:04:05Z","msg":"boom"}`,
  tcpdump: `listening on any, link-type LINUX_SLL (Linux cooked), capture size 262144 bytes
18:47:35.011943 IP (tos 0x0, ttl 63, id 0, offset 0, flags [DF], proto TCP (6), length 60)
    10.1.4.194.8000 > 10.2.97.49.44624: Flags [S.], cksum 0x1ed1 (correct), seq 1, ack 2, win 65160, options [mss 1, nop], length 0
16:46:35.562471   P 02:00:00:00:00:01 ethertype 802.1Q (0x8100), length 80: vlan 44, p 0, ethertype IPv4, 10.0.0.1.42712 > 10.0.0.2.10001: Flags [S], seq 4, length 0
16:30:56.705718 IP 10.0.100.3.48683 > 10.0.100.15.8472: OTV, flags [I] (0x08), overlay 0, instance 1
IP 10.244.0.0.2201 > 10.244.2.73.9153: Flags [P.], seq 1:88, ack 1, win 43690, length 87
10:00:00.1 IP6 (hlim 1, next-header HBH (0), payload length 36) fe80::1 > ff02::16: HBH (rtalert: 0x0000) (padn) ICMP6, echo request, id 1, seq 2, length 8
07:01:02.123456 ARP, Request who-has 10.0.0.9 tell 10.0.0.1, length 28
  1 0.000000000 10.0.0.1 → 10.0.0.2 TCP 74 40000 → 80 [SYN] Seq=0 Win=1
`,
  "kernel-log": `Mar 31 16:57:22 n1 kernel: raw out: IN= OUT=eth0 SRC=10.0.0.1 DST=10.0.0.2 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=5 DF PROTO=TCP SPT=5 DPT=80 WINDOW=1 RES=0x00 SYN URGP=0
[90332.241576] TRACE: nat:KUBE-SERVICES:rule:14 IN=cbr0 OUT= SRC=10.0.0.1 DST=10.0.0.2 LEN=82 PROTO=ICMP TYPE=3 CODE=1 [SRC=10.0.0.1 DST=10.0.0.2 PROTO=UDP SPT=1 DPT=2 LEN=9 ] MARK=0x1
[  123.456789] IPv4: martian source 10.0.0.5 from 10.0.0.6, on dev eth0
[  123.456790] ll header: 00000000: ff ff ff ff ff ff 02 00 00 00 00 01 08 06
`,
  "nft-trace": `trace id 1a2b3c4d ip nat prerouting packet: iif "eth0" ip saddr 10.0.0.1 ip daddr 10.0.0.2 tcp sport 5 tcp dport 80 tcp flags == syn
trace id 1a2b3c4d ip nat prerouting rule counter (verdict continue)
PACKET: 2 eca85d13 OUT=lo SRC=127.0.0.1 DST=127.0.0.1 LEN=60 TOS=0x0 TTL=64 ID=35334 DF SPORT=35972 DPORT=81 SYN
 TRACE: 2 eca85d13 raw:OUTPUT:rule:0x2:CONTINUE  -4 -t raw -A OUTPUT -j TRACE
`,
  conntrack: `tcp      6 86399 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=4 dport=80 src=10.0.0.3 dst=10.0.0.1 sport=80 dport=4 [ASSURED] mark=0 use=1
conntrack v1.4.6 (conntrack-tools): 1 flow entries have been shown.
`,
  "conntrack-stats": "cpu=0   \tfound=10 invalid=1 insert_failed=3 drop=3\n",
  sockets: `State    Recv-Q   Send-Q     Local Address:Port     Peer Address:Port  Process
LISTEN   0        128              0.0.0.0:22            0.0.0.0:*          users:(("sshd",pid=1,fd=3))
tcp        0      0 127.0.0.1:6443          0.0.0.0:*               LISTEN      123/apiserver
`,
  counters: "#kernel\nIpInReceives 1234 0.0\nUdp: InDatagrams NoPorts\nUdp: 7 9\nTcp:\n    12 segments retransmitted\n",
  ethtool: "Features for flannel.1:\nrx-checksumming: on\nNIC statistics:\n     rx_packets: 7\n",
  client: `PING web (10.0.0.1) 56(84) bytes of data.
64 bytes from lb (10.0.0.1): icmp_seq=1 ttl=64 time=0.035 ms
2 packets transmitted, 1 received, 50% packet loss, time 1001ms
*   Trying 10.0.0.1:80...
curl: (7) Failed to connect to 10.0.0.1 port 80: Connection refused
;; reply from unexpected source: 10.0.0.3#53, expected 10.0.0.2#53
real\t1m3.091s
`,
};

const mutated = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.nat(), fc.constantFrom("cut", "double", "junk", "swap", "end"), fc.string({ maxLength: 12 })), {
      minLength: 1,
      maxLength: 8,
    })
    .map((edits) =>
      edits.reduce((t, [where, what, junk]) => {
        const at = t.length === 0 ? 0 : where % t.length;
        if (what === "cut") return t.slice(0, at) + t.slice(at + 5);
        if (what === "double") return t.slice(0, at) + t.slice(Math.max(0, at - 30));
        if (what === "junk") return t.slice(0, at) + junk + t.slice(at);
        if (what === "swap") return t.slice(at) + t.slice(0, at);
        return t.slice(0, at);
      }, text),
    );

const readAll = (id: string, text: string) =>
  observedDialects.find((d) => d.id === id)!.read(sourceOf("x", text), { command: ["x", "-ttt", "10.0.0.1"] });

describe("damaged input", () => {
  test("there is a sample of every dialect", () => {
    expect(observedDialects.map((d) => d.id).filter((id) => SAMPLES[id] === undefined)).toEqual([]);
  });
  test.each(Object.entries(SAMPLES))("%s: no reader throws", (id, text) => {
    fc.assert(
      fc.property(mutated(text), (damaged) => {
        readAll(id, damaged);
      }),
      { numRuns: 300 },
    );
  });
  test("what they make of it is followed without a throw", () => {
    const all = `${SAMPLES.tcpdump}\n\n${SAMPLES["kernel-log"]}\n\n${SAMPLES.client}`;
    fc.assert(
      fc.property(mutated(all), (damaged) => {
        observe({ "x.txt": damaged });
      }),
      { numRuns: 100 },
    );
  });
  test("damaged capture files", () => {
    const SYN = tcp({ flags: 2, seq: 1 });
    const frames = [ethernet(SYN, [4]), ethernet(vxlan(ethernet(SYN))), ethernet(icmpError(SYN)), arp()];
    const files = [pcap(1, frames), pcapng(1, frames), pcap(276, [cooked2(SYN, 4)])];
    fc.assert(
      fc.property(
        fc.nat(2),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 }),
        fc.nat(),
        (which, edits, cut) => {
          const bytes = files[which]!.slice();
          for (const [at, value] of edits) bytes[at % bytes.length] = value;
          const reader = new CaptureReader("x", { node: "n", capture: { kind: "read", file: "x", line: 1 } });
          reader.push(bytes.subarray(0, cut % (bytes.length + 1)));
          const { facts } = reader.finish();
          connectionsOf(facts.flatMap((f) => (f.kind === "packets" ? f.packets : [])));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** Seconds that a piece of work takes, at best of three. */
function seconds(work: () => void): number {
  const once = (): number => cpuMilliseconds(work) / 1000;
  return Math.min(once(), once(), once());
}

describe("time grows with the input, not faster", () => {
  test.each(Object.entries(SAMPLES))("%s: many lines", (id, text) => {
    const of = (n: number) => seconds(() => readAll(id, text.repeat(n)));
    of(20);
    const [small, large] = [of(100), of(800)];
    expect(large).toBeLessThan(Math.max(0.05, small) * 8 * 4);
  });
  test.each([
    ["spaces", " "],
    ["digits", "1"],
    ["colons", "a:"],
    ["dots", "1."],
    ["brackets", "[("],
    ["words", "IN= OUT= [SRC=10.0.0.1 "],
    ["arrows", "10.0.0.1 > "],
    ["macs", "02:00:00:00:00:01 "],
  ])("one line of a megabyte of %s", (_, piece) => {
    const long = piece.repeat(1_000_000 / piece.length);
    for (const { id, claim } of observedDialects) {
      const heads = [
        "",
        "10:00:00.1 IP ",
        "[1.000001] x IN= OUT= ",
        "tcp 6 1 src=",
        "PING ",
        "LISTEN 0 0 ",
        "trace id 1a2b3c4d ip a b packet: ",
      ];
      const spent = seconds(() => {
        for (const head of heads) {
          claim(head + long);
          readAll(id, head + long);
        }
      });
      expect([id, spent < 1]).toEqual([id, true]);
    }
  });
  test("connections and logs", () => {
    const text = (n: number): string =>
      Array.from(
        { length: n },
        (_, i) =>
          `10:00:00.${i} IP 10.0.${i % 250}.1.${1000 + (i % 50000)} > 10.9.0.1.80: Flags [S], seq ${2000000000 + i}, win 1, length 0`,
      ).join("\n");
    const of = (n: number) => {
      const { reading } = { reading: observe({ "tcpdump.eth0.txt": text(n) }).reading };
      const o = observationsOf(reading.dumps);
      return seconds(() => {
        const c = connectionsOf(o.packets);
        derivedFacts(o, c);
        loggedPackets(o.lines);
      });
    };
    const [small, large] = [of(2000), of(16000)];
    expect(large).toBeLessThan(Math.max(0.05, small) * 8 * 4);
  });
});
