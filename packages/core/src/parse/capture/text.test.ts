import { describe, expect, test } from "vitest";
import { hostText, type ObservedPacket } from "../../model/index.ts";
import { sourceOf } from "../source.ts";
import { readCapture } from "./text.ts";

function packets(...lines: string[]): readonly ObservedPacket[] {
  const fact = readCapture(sourceOf("t", lines.join("\n")), {}).facts[0];
  return fact?.kind === "packets" ? fact.packets : [];
}
const flow = (p: ObservedPacket | undefined): string => {
  const ip = p?.ip;
  return ip === undefined ? "" : `${hostText(ip.src)}.${ip.sport} > ${hostText(ip.dst)}.${ip.dport} ${ip.protocol}`;
};

describe("forms of a line", () => {
  test.each([
    [
      "10:00:00.000001 IP 10.0.0.1.4000 > 10.0.0.2.80: Flags [S], seq 5, win 1, length 0",
      "10.0.0.1.4000 > 10.0.0.2.80 6",
    ],
    ["10:00:00.000001 IP 10.0.0.1.4000 > 10.0.0.2.http: Flags [S], seq 5, length 0", "10.0.0.1.4000 > 10.0.0.2.80 6"],
    ["10:00:00.000001 IP 10.0.0.1.4000 > 10.0.0.2.no-such: Flags [S], seq 5", "10.0.0.1.4000 > 10.0.0.2.no-such 6"],
    [
      "10:00:00.000001 IP node1.example.com.4000 > web.local.https: Flags [.], ack 5",
      "node1.example.com.4000 > web.local.443 6",
    ],
    ["10:00:00.000001 eth0  Out IP 10.0.0.1.4000 > 10.0.0.2.53: 77+ A? x. (29)", "10.0.0.1.4000 > 10.0.0.2.53 17"],
    ["10:00:00.000001 IP6 fe80::1.546 > ff02::1:2.547: dhcp6 solicit", "fe80::1.546 > ff02::1:2.547 17"],
    ["1700000000.123456 IP 10.0.0.1.4000 > 10.0.0.2.80: Flags [S], seq 5", "10.0.0.1.4000 > 10.0.0.2.80 6"],
    ["IP 10.0.0.1.4000 > 10.0.0.2.80: Flags [S], seq 5, win 1, length 0", "10.0.0.1.4000 > 10.0.0.2.80 6"],
    ["10:00:00.000001 IP 10.0.0.1.4000 > 10.0.0.2.80: S 5:5(0) win 5840 <mss 1460>", "10.0.0.1.4000 > 10.0.0.2.80 6"],
    ["10:00:00.000001 IP 10.0.0.1.4000 > 10.0.0.2.80: tcp 0", "10.0.0.1.4000 > 10.0.0.2.80 6"],
    [
      "    1  0.000000000 10.0.0.1 → 10.0.0.2 TCP 74 4000 → 80 [SYN] Seq=0 Win=64240 Len=0",
      "10.0.0.1.4000 > 10.0.0.2.80 6",
    ],
    [
      "10:00:00.1 02:00:00:00:00:01 > 02:00:00:00:00:02, ethertype IPv4 (0x0800), length 74: 10.0.0.1.4000 > 10.0.0.2.80: Flags [S], seq 5",
      "10.0.0.1.4000 > 10.0.0.2.80 6",
    ],
  ])("%s", (line, expected) => expect(flow(packets(line)[0])).toBe(expected));

  test("direction, VLAN and MAC of a capture on all devices, old and new", () => {
    const [old, fresh] = packets(
      "16:46:35.562471   P 02:00:00:00:00:01 ethertype 802.1Q (0x8100), length 80: vlan 44, p 0, ethertype IPv4, 10.0.0.1.1 > 10.0.0.2.2: Flags [S], seq 4",
      "16:46:35.562471 eth0  In  ifindex 2 02:00:00:00:00:01 ethertype 802.1Q (0x8100), length 84: vlan 7, p 0, ethertype IPv4 (0x0800), 10.0.0.1.1 > 10.0.0.2.2: Flags [S], seq 4",
    );
    expect([old?.direction, old?.vlans, old?.srcMac]).toEqual(["other", [44], "02:00:00:00:00:01"]);
    expect([fresh?.direction, fresh?.vlans, fresh?.device]).toEqual(["in", [7], "eth0"]);
  });

  test("the two lines of -v are one packet", () => {
    const all = packets(
      "18:47:35.011943 IP (tos 0x0, ttl 63, id 7, offset 0, flags [DF], proto TCP (6), length 60)",
      "    10.0.0.1.8000 > 10.0.0.2.4000: Flags [S.], cksum 0x1ed1 (correct), seq 100, ack 200, win 1, options [mss 1424], length 0",
    );
    expect(all).toHaveLength(1);
    expect(all[0]?.ip).toMatchObject({ ttl: 63, id: 7, df: true, length: 60, tcp: { flags: 18, seq: 100, ack: 200 } });
  });

  test("what a tunnel carries is inside, and an ICMP error's packet too", () => {
    const [vxlan, ipip, error] = packets(
      "16:30:56.7 IP 10.0.0.3.4 > 10.0.0.5.8472: OTV, flags [I] (0x08), overlay 0, instance 1",
      "IP 10.244.0.0.2201 > 10.244.2.73.9153: Flags [S], seq 91, win 4, length 0",
      "16:30:57.7 IP 10.0.0.3 > 10.0.0.5: IP 10.244.0.1.9 > 10.244.2.7.8: Flags [S], seq 92, length 0",
      "16:30:58.7 IP (tos 0xc0, ttl 64, id 1, offset 0, flags [none], proto ICMP (1), length 88)",
      "    10.0.0.9 > 10.0.0.1: ICMP host 10.0.0.7 unreachable - admin prohibited, length 68",
      "\tIP (tos 0x0, ttl 64, id 2, offset 0, flags [DF], proto TCP (6), length 60)",
      "    10.0.0.1.4000 > 10.0.0.7.80: Flags [S], cksum 0x1 (correct), seq 9, win 1, length 0",
    );
    expect(vxlan?.ip?.tunnel).toEqual({ kind: "vxlan", vni: 1 });
    expect(vxlan?.ip?.inner?.ip).toMatchObject({ sport: 2201, dport: 9153 });
    expect(ipip?.ip?.inner?.ip).toMatchObject({ sport: 9, dport: 8 });
    expect(error?.ip?.icmp).toMatchObject({ type: 3, code: 10, inner: { sport: 4000, dport: 80, ttl: 64 } });
  });

  test("sequence numbers counted from the connection's beginning are made absolute again", () => {
    const all = packets(
      "10:00:00.1 IP 10.0.0.1.4000 > 10.0.0.2.80: Flags [S], seq 4000000000, win 1, length 0",
      "10:00:00.2 IP 10.0.0.2.80 > 10.0.0.1.4000: Flags [S.], seq 4294967290, ack 4000000001, win 1, length 0",
      "10:00:00.3 IP 10.0.0.1.4000 > 10.0.0.2.80: Flags [.], ack 1, win 1, length 0",
      "10:00:00.4 IP 10.0.0.2.80 > 10.0.0.1.4000: Flags [P.], seq 1:21, ack 1, win 1, length 20",
    );
    expect(all.map((p) => [p.ip?.tcp?.seq, p.ip?.tcp?.ack])).toEqual([
      [4000000000, undefined],
      [4294967290, 4000000001],
      [undefined, 4294967291],
      [4294967291, 4000000001],
    ]);
  });

  test("a beginning that was not seen leaves them relative", () => {
    const [p] = packets("10:00:00.3 IP 10.0.0.1.4000 > 10.0.0.2.80: Flags [P.], seq 1:9, ack 1, win 1, length 8");
    expect(p?.ip?.tcp).toMatchObject({ relative: true, seq: 1, ack: 1 });
  });

  test("ARP in all its forms", () => {
    const all = packets(
      "10:00:00.1 ARP, Request who-has 10.0.0.2 tell 10.0.0.1, length 28",
      "10:00:00.2 ARP, Ethernet (len 6), IPv4 (len 4), Reply 10.0.0.2 is-at 02:00:00:00:00:02, length 46",
      "10:00:00.3 arp who-has 10.0.0.3 tell 10.0.0.1",
    );
    expect(all.map((p) => p.arp?.operation)).toEqual(["request", "reply", "request"]);
    expect(all[1]?.arp).toMatchObject({ mac: "02:00:00:00:00:02" });
  });

  test("a line that ends before its addresses is said to be cut", () => {
    const { diagnostics } = readCapture(sourceOf("t", "10:00:00.1 IP 10.0.0.1.4000 > 10.0"), {});
    expect(diagnostics.map((d) => d.code)).toEqual(["capture-cut"]);
  });
});
