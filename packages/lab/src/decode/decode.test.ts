import { bytesOf, PROTO, parseAddress } from "@hairpin/core/net/index.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import { packetBytes } from "../frames.ts";
import { decodeConntrack } from "./conntrack.ts";
import { changes, countersOf } from "./counters.ts";
import { decodeIpvsConnections } from "./ipvs.ts";
import { decodeHook, observerPrefix } from "./nflog.ts";
import { ruleCountsOf } from "./rule-counts.ts";

const ip = (text: string) => parseAddress(text)!;

function attribute(kind: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(4 + body.length, 0);
  head.writeUInt16LE(kind, 2);
  return Buffer.concat([head, body, Buffer.alloc(-(4 + body.length) & 3)]);
}
const be32 = (n: number): Buffer => Buffer.from([n >>> 24, n >>> 16, n >>> 8, n].map((b) => b & 255));
const be16 = (n: number): Buffer => Buffer.from([n >> 8, n & 255]);

describe("hooks", () => {
  const packet = packetBytes({ src: ip("10.0.0.1"), dst: ip("10.0.0.2"), protocol: PROTO.tcp, dport: 80 });
  const body = (prefix: string): Buffer =>
    Buffer.concat([
      Buffer.from([2, 0, 0, 0]),
      attribute(10, Buffer.from(`${prefix}\0`)),
      attribute(2, be32(0x4000)),
      attribute(4, be32(101)),
      attribute(5, be32(7)),
      attribute(19, be32(2)),
      attribute(9, packet),
    ]);

  test("a message of an observer becomes a record", () => {
    const prefix = observerPrefix("nft", 4, "nat", "POSTROUTING");
    const seen = decodeHook("node", body(prefix), (index) => (index === 101 ? "eth0" : undefined));
    expect(seen).toMatchObject({
      stack: "node",
      backend: "nft",
      family: 4,
      table: "nat",
      chain: "POSTROUTING",
      in: "eth0",
      out: "#7",
      physin: "",
      mark: 0x4000,
      ct: "NEW",
      packet: { dport: 80 },
    });
  });

  test("a message of a rule of the World's own does not", () => {
    expect(decodeHook("node", body("cali:reject"), () => "eth0")).toBeUndefined();
  });

  test("nonsense gives nothing", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        decodeHook("node", Buffer.from(bytes), () => undefined);
        decodeConntrack(Buffer.from(bytes));
      }),
    );
  });
});

test("a conntrack entry", () => {
  const tuple = (src: string, dst: string, sport: number, dport: number): Buffer =>
    Buffer.concat([
      attribute(
        1,
        Buffer.concat([attribute(1, Buffer.from(bytesOf(ip(src)))), attribute(2, Buffer.from(bytesOf(ip(dst))))]),
      ),
      attribute(
        2,
        Buffer.concat([attribute(1, Buffer.from([6])), attribute(2, be16(sport)), attribute(3, be16(dport))]),
      ),
    ]);
  const body = Buffer.concat([
    Buffer.from([2, 0, 0, 0]),
    attribute(1, tuple("10.0.0.1", "10.96.0.1", 4000, 80)),
    attribute(2, tuple("10.244.0.2", "10.0.0.1", 8080, 4000)),
    attribute(3, be32(0x1a)),
    attribute(4, attribute(1, attribute(1, Buffer.from([3])))),
    attribute(7, be32(431999)),
  ]);
  expect(decodeConntrack(body)).toEqual({
    original: { src: ip("10.0.0.1"), dst: ip("10.96.0.1"), sport: 4000, dport: 80, protocol: 6 },
    reply: { src: ip("10.244.0.2"), dst: ip("10.0.0.1"), sport: 8080, dport: 4000, protocol: 6 },
    status: 0x1a,
    timeout: 431999,
    mark: 0,
    zone: 0,
    tcpState: "ESTABLISHED",
  });
});

test("counters by nstat's names, and what moved", () => {
  const read = (rp: number, martian: string) =>
    countersOf({
      netstat: `TcpExt: SyncookiesSent IPReversePathFilter\nTcpExt: 0 ${rp}\nIpExt: InNoRoutes\nIpExt: 0\n`,
      "stat/rt_cache": `entries  in_hit in_martian_src\n0000000a 00000000 ${martian}\n0000000a 00000000 00000001\n`,
    });
  expect([...changes(read(1, "00000000"), read(3, "00000010"))]).toEqual([
    ["TcpExtIPReversePathFilter", 2],
    ["rt_cache.in_martian_src", 16],
  ]);
});

test("IPVS connections from /proc", () => {
  const text = `Pro FromIP   FPrt ToIP     TPrt DestIP   DPrt State       Expires PEName PEData
TCP 0A000001 C350 0A60000A 0050 0AF40002 1F90 ESTABLISHED     899
`;
  expect(decodeIpvsConnections(text)).toMatchObject([
    {
      protocol: 6,
      client: ip("10.0.0.1"),
      clientPort: 50000,
      virtual: ip("10.96.0.10"),
      real: ip("10.244.0.2"),
      realPort: 8080,
    },
  ]);
});

test("rule counters leave the lab's own rules out", () => {
  const text = `*nat
:PREROUTING ACCEPT [5:300]
:KUBE-SERVICES - [0:0]
[9:540] -A PREROUTING -j NFLOG --nflog-prefix l4/nat/PREROUTING --nflog-group 41959
[4:240] -A PREROUTING -j KUBE-SERVICES
[3:180] -A KUBE-SERVICES -j RETURN
COMMIT
`;
  const place = { stack: "node", backend: "legacy", family: 4 } as const;
  const counts = ruleCountsOf(text, place, (_table, chain) => chain === "PREROUTING");
  expect(counts.map((c) => `${c.chain} ${c.rule} ${c.packets}`)).toEqual([
    "PREROUTING 0 5",
    "PREROUTING 1 4",
    "KUBE-SERVICES 1 3",
  ]);
});
