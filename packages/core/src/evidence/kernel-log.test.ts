import { factsOf, observe } from "@hairpin/testing/observed.ts";
import { describe, expect, test } from "vitest";

const LOG =
  "SRC=10.0.0.1 DST=10.1.0.9 LEN=60 TOS=0x00 PREC=0xC0 TTL=64 ID=77 DF PROTO=TCP SPT=4000 DPT=80 WINDOW=1 RES=0x00 SYN URGP=0 ";

describe("lines of the kernel's log", () => {
  test.each([
    [`[  126.123456] seen: IN=eth0 OUT= MAC=02:00:00:00:00:02:02:00:00:00:00:01:08:00 ${LOG}MARK=0x4000 `, "boot"],
    [
      `Mar 31 16:57:22 n1 kernel: seen: IN=eth0 OUT= MAC=02:00:00:00:00:02:02:00:00:00:00:01:08:00 ${LOG}MARK=0x4000 `,
      "date",
    ],
    [
      `Mar 31 16:57:22 n1 kernel: [126.123] seen: IN=eth0 OUT= MAC=02:00:00:00:00:02:02:00:00:00:00:01:08:00 ${LOG}MARK=0x4000`,
      "date",
    ],
    [
      `[Fri Mar 31 16:57:22 2017] seen: IN=eth0 OUT= MAC=02:00:00:00:00:02:02:00:00:00:00:01:08:00 ${LOG}MARK=0x4000`,
      "epoch",
    ],
    [
      `2017-03-31T16:57:22+0000 n1 kernel: seen: IN=eth0 OUT= MAC=02:00:00:00:00:02:02:00:00:00:00:01:08:00 ${LOG}MARK=0x4000`,
      "epoch",
    ],
  ])("%s", (line, base) => {
    const [fact] = factsOf("dmesg.txt", `${line}\n`, "kernel-log");
    const log = fact?.lines[0];
    expect([log?.prefix, log?.in, log?.out, log?.mark, log?.srcMac, log?.dstMac, log?.time?.base]).toEqual([
      "seen:",
      "eth0",
      undefined,
      0x4000,
      "02:00:00:00:00:01",
      "02:00:00:00:00:02",
      base,
    ]);
    expect(log?.ip).toMatchObject({ sport: 4000, dport: 80, ttl: 64, id: 77, df: true, tos: 0xc0, tcp: { flags: 2 } });
  });

  test("an ICMP error and the packet it quotes; UDP's length is not IP's", () => {
    const [fact] = factsOf(
      "dmesg.txt",
      `[1.000001] a IN=eth0 OUT= SRC=10.0.0.9 DST=10.0.0.1 LEN=88 TOS=0x00 PREC=0x00 TTL=64 ID=5 PROTO=ICMP TYPE=3 CODE=1 [${LOG}] MARK=0x1 
[2.000001] b IN=eth0 OUT= SRC=10.0.0.9 DST=10.0.0.1 LEN=82 TOS=0x00 PREC=0x00 TTL=64 ID=6 PROTO=UDP SPT=5 DPT=53 LEN=62 
`,
      "kernel-log",
    );
    expect(fact?.lines[0]).toMatchObject({
      mark: 1,
      ip: { id: 5, icmp: { type: 3, code: 1, inner: { sport: 4000, id: 77 } } },
    });
    expect(fact?.lines[1]?.ip).toMatchObject({ length: 82, payload: 54 });
  });

  test("martians with their header, a full table, an overflow", () => {
    const { observations, facts } = observe({
      "dmesg.txt": `[  123.456789] IPv4: martian source 10.0.0.5 from 10.0.0.6, on dev eth0
[  123.456790] ll header: 00000000: ff ff ff ff ff ff 02 00 00 00 00 01 08 06
[  124.100000] nf_conntrack: nf_conntrack: table full, dropping packet
[  125.123456] neighbour: arp_cache: neighbor table overflow!
`,
    });
    expect(observations.martians[0]).toMatchObject({ kind: "source", device: "eth0", srcMac: "02:00:00:00:00:01" });
    expect(facts.map((f) => f.code)).toEqual(["MARTIAN", "CONNTRACK_FULL", "NEIGHBOUR_OVERFLOW"]);
  });

  test("legacy TRACE", () => {
    const [fact] = factsOf(
      "trace.txt",
      `[1.000001] TRACE: nat:KUBE-SERVICES:rule:14 IN=cbr0 OUT= ${LOG}\n`,
      "kernel-log",
    );
    expect(fact?.lines[0]?.trace).toEqual({ table: "nat", chain: "KUBE-SERVICES", type: "rule", rule: "14" });
  });
});

// Printed by xtables-monitor 1.8.9 and nft 1.0.6 for a connection to 127.0.0.1:81 that a rule sends to port 83.
const XTABLES = `PACKET: 2 eca85d13 OUT=lo SRC=127.0.0.1 DST=127.0.0.1 LEN=60 TOS=0x0 TTL=64 ID=35334 DF SPORT=35972 DPORT=81 SYN 
 TRACE: 2 eca85d13 raw:OUTPUT:rule:0x2:CONTINUE  -4 -t raw -A OUTPUT -p tcp -m tcp --dport 81 -j TRACE
 TRACE: 2 eca85d13 raw:OUTPUT:policy:ACCEPT 
PACKET: 2 eca85d13 OUT=lo SRC=127.0.0.1 DST=127.0.0.1 LEN=60 TOS=0x0 TTL=64 ID=35334 DF SPORT=35972 DPORT=81 SYN 
 TRACE: 2 eca85d13 nat:OUTPUT:rule:0x2:ACCEPT  -4 -t nat -A OUTPUT -p tcp -m tcp --dport 81 -j DNAT --to-destination 127.0.0.1:83
PACKET: 2 eca85d13 OUT=lo SRC=127.0.0.1 DST=127.0.0.1 LEN=60 TOS=0x0 TTL=64 ID=35334 DF SPORT=35972 DPORT=83 SYN 
 TRACE: 2 eca85d13 filter:OUTPUT:rule:0x3:JUMP:FOO  -4 -t filter -A OUTPUT -j FOO
 TRACE: 2 eca85d13 filter:OUTPUT:policy:ACCEPT 
`;
const NFT = `trace id eca85d13 ip raw OUTPUT packet: oif "lo" ip saddr 127.0.0.1 ip daddr 127.0.0.1 ip dscp cs0 ip ecn not-ect ip ttl 64 ip id 35334 ip length 60 tcp sport 35972 tcp dport 81 tcp flags == syn tcp window 65495 
trace id eca85d13 ip raw OUTPUT rule tcp dport 81 counter packets 0 bytes 0 meta nftrace set 1 (verdict continue)
trace id eca85d13 ip raw OUTPUT policy accept 
trace id eca85d13 ip nat OUTPUT packet: oif "lo" ip saddr 127.0.0.1 ip daddr 127.0.0.1 ip dscp cs0 ip ecn not-ect ip ttl 64 ip id 35334 ip length 60 tcp sport 35972 tcp dport 81 tcp flags == syn tcp window 65495 
trace id eca85d13 ip nat OUTPUT rule tcp dport 81 counter packets 0 bytes 0 dnat to 127.0.0.1:83 (verdict accept)
trace id eca85d13 ip filter OUTPUT packet: oif "lo" ip saddr 127.0.0.1 ip daddr 127.0.0.1 ip dscp cs0 ip ecn not-ect ip ttl 64 ip id 35334 ip length 60 tcp sport 35972 tcp dport 83 tcp flags == syn tcp window 65495 
`;

describe("traces of nftables", () => {
  test.each([
    ["xtables-monitor", XTABLES, 8],
    ["nft monitor trace", NFT, 6],
  ])("%s: one packet through its tables", (_, text, steps) => {
    const { logged } = observe({ "trace.txt": text });
    expect(logged).toHaveLength(1);
    expect(logged[0]?.steps).toHaveLength(steps);
    expect(logged[0]?.ip).toMatchObject({ protocol: 6, sport: 35972, dport: 81, tcp: { flags: 2 } });
    expect(logged[0]?.steps.flatMap((s) => s.changed)).toEqual(["destination 127.0.0.1:81 became 127.0.0.1:83"]);
  });
});
