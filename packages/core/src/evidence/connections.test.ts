import { observe } from "@hairpin/testing/observed.ts";
import { describe, expect, test } from "vitest";
import { flowText } from "./index.ts";

const packet = (time: string, column: string, flow: string, rest: string): string =>
  `${time} ${column} 02:00:00:00:00:01 ethertype IPv4 (0x0800), length 76: ${flow}: Flags ${rest}`;

/** A SYN bridged and masqueraded on node a, answered on node b; the answer ends on node a. Clocks differ by a minute. */
const TWO_NODES = {
  "nodes/a/capture.txt": [
    "tcpdump: verbose output suppressed, use -v or -vv for full protocol decode",
    "listening on any, link-type LINUX_SLL (Linux cooked), capture size 262144 bytes",
    packet("10:00:00.000100", "  P", "10.0.0.5.4000 > 10.9.0.1.80", "[S], seq 3000000001, win 1, length 0"),
    packet("10:00:00.000200", "Out", "10.0.0.1.6000 > 10.9.0.1.80", "[S], seq 3000000001, win 1, length 0"),
    packet("10:00:00.000900", " In", "10.9.0.1.80 > 10.0.0.1.6000", "[S.], seq 77, ack 3000000002, win 1, length 0"),
    "",
  ].join("\n"),
  "nodes/b/capture.txt": [
    "listening on any, link-type LINUX_SLL (Linux cooked), capture size 262144 bytes",
    packet("09:59:00.000300", " In", "10.0.0.1.6000 > 10.9.0.1.80", "[S], seq 3000000001, win 1, length 0"),
    packet("09:59:00.000400", "Out", "10.9.0.1.80 > 10.0.0.1.6000", "[S.], seq 77, ack 3000000002, win 1, length 0"),
    "",
  ].join("\n"),
};

describe("a connection through captures of two nodes", () => {
  const { connections, facts } = observe(TWO_NODES);
  test("is one, through masquerading, in the order of its way though the clocks differ", () => {
    expect(connections).toHaveLength(1);
    expect(connections[0]?.sightings.map((s) => [s.role, s.place.node, s.direction, flowText(s.ip)])).toEqual([
      ["syn", "a", "other", "10.0.0.5:4000 > 10.9.0.1:80"],
      ["syn", "a", "out", "10.0.0.1:6000 > 10.9.0.1:80"],
      ["syn", "b", "in", "10.0.0.1:6000 > 10.9.0.1:80"],
      ["syn-ack", "b", "out", "10.9.0.1:80 > 10.0.0.1:6000"],
      ["syn-ack", "a", "in", "10.9.0.1:80 > 10.0.0.1:6000"],
    ]);
  });
  test("where it was last seen, and that it went no further", () => {
    expect(connections[0]?.outcome).toBe("answer-lost");
    expect([connections[0]?.last?.place.node, connections[0]?.last?.role]).toEqual(["a", "syn-ack"]);
  });
  test("what follows: it was translated and bridged", () => {
    expect(facts.map((f) => f.code)).toEqual(["TRANSLATED", "BRIDGED"]);
  });
});

const lines = (...all: string[]) => observe({ "nodes/a/tcpdump.eth0.txt": `${all.join("\n")}\n` }).connections;

describe("what becomes of a connection", () => {
  const syn = (time: string) => `${time} IP 10.0.0.1.4000 > 10.0.0.2.80: Flags [S], seq 1500000000, win 1, length 0`;
  const synAck = (time: string) =>
    `${time} IP 10.0.0.2.80 > 10.0.0.1.4000: Flags [S.], seq 2500000000, ack 1500000001, win 1, length 0`;
  const ack = "10:00:09.100000 IP 10.0.0.1.4000 > 10.0.0.2.80: Flags [.], ack 1, win 1, length 0";
  test.each([
    ["established", [syn("10:00:00.1"), synAck("10:00:00.2"), ack]],
    ["late", [syn("10:00:00.1"), syn("10:00:01.1"), synAck("10:00:01.2"), ack]],
    ["unanswered", [syn("10:00:00.1"), syn("10:00:01.1")]],
    ["open", [syn("10:00:00.1")]],
    ["answer-unheard", [syn("10:00:00.1"), synAck("10:00:00.2"), synAck("10:00:01.2")]],
    [
      "refused",
      [
        syn("10:00:00.1"),
        "10:00:00.2 IP 10.0.0.2.80 > 10.0.0.1.4000: Flags [R.], seq 0, ack 1500000001, win 0, length 0",
      ],
    ],
    [
      "answer-refused",
      [
        syn("10:00:00.1"),
        synAck("10:00:00.2"),
        "10:00:00.3 IP 10.0.0.1.4000 > 10.0.0.2.80: Flags [R], seq 1500000001, win 0, length 0",
      ],
    ],
    [
      "refused",
      [syn("10:00:00.1"), "10:00:00.2 IP 10.0.0.2 > 10.0.0.1: ICMP 10.0.0.2 tcp port 80 unreachable, length 68"],
    ],
    [
      "unreachable",
      [syn("10:00:00.1"), "10:00:00.2 IP 10.0.0.9 > 10.0.0.1: ICMP host 10.0.0.2 unreachable, length 68"],
    ],
  ])("%s", (outcome, text) => expect(lines(...text).map((c) => c.outcome)).toEqual([outcome]));

  test("echoes", () => {
    const ask = (n: number) => `10:00:0${n}.1 IP 10.0.0.1 > 10.0.0.2: ICMP echo request, id 7, seq ${n}, length 64`;
    const answer = "10:00:01.2 IP 10.0.0.2 > 10.0.0.1: ICMP echo reply, id 7, seq 1, length 64";
    expect(lines(ask(1), answer).map((c) => c.outcome)).toEqual(["answered"]);
    expect(lines(ask(1), ask(2), ask(3)).map((c) => c.outcome)).toEqual(["unanswered"]);
  });
  test("two connections stay two", () => {
    const other = syn("10:00:00.2").replace("4000", "4001").replace("1500000000", "1600000000");
    expect(lines(syn("10:00:00.1"), other)).toHaveLength(2);
  });
  test("inside a tunnel it is the same connection", () => {
    const { connections } = observe({
      "nodes/a/tcpdump.flannel.1.txt": `${syn("10:00:00.1")}\n`,
      "nodes/a/tcpdump.eth0.txt": `10:00:00.100010 IP 192.0.2.1.5 > 192.0.2.2.8472: OTV, flags [I] (0x08), overlay 0, instance 1\n${syn("").trim()}\n`,
    });
    expect(connections).toHaveLength(1);
    expect(connections[0]?.sightings.map((s) => s.tunnel ?? null)).toContain("vxlan 1 192.0.2.1 > 192.0.2.2");
  });
});

describe("facts", () => {
  test("a ping that the node answered itself", () => {
    const ping = (ttl: number, ms: string) => ({
      "x.txt": `$ ping 10.0.0.1\nPING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\n64 bytes from 10.0.0.1: icmp_seq=1 ttl=${ttl} time=${ms} ms\n`,
    });
    expect(observe(ping(64, "0.035")).facts.map((f) => f.code)).toEqual(["ANSWERED_BY_ITSELF"]);
    expect(observe(ping(63, "0.035")).facts).toEqual([]);
    expect(observe(ping(64, "3.1")).facts).toEqual([]);
  });
  test("two answer for one address", () => {
    const { facts } = observe({
      "x.txt":
        "10:00:00.1 ARP, Reply 10.0.0.9 is-at 02:00:00:00:00:01, length 46\n10:00:00.2 ARP, Reply 10.0.0.9 is-at 02:00:00:00:00:02, length 46\n",
    });
    expect(facts.map((f) => f.code)).toEqual(["SEVERAL_ANSWER_ARP"]);
  });
});
