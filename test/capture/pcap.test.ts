import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { arp, cooked, cooked2, ethernet, icmpError, pcap, pcapng, tcp, udp, vxlan } from "@hairpin/testing/frames.ts";
import { differences } from "@hairpin/testing/same-packet.ts";
import { describe, expect, test } from "vitest";
import { CaptureReader } from "../../packages/core/src/parse/capture/binary/read.ts";
import { CaptureStream, type Recorded } from "../../packages/core/src/parse/capture/binary/stream.ts";
import { readCapture } from "../../packages/core/src/parse/capture/text.ts";
import { readCase } from "../../packages/core/src/parse/case/read-case.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";

function recordsOf(bytes: Uint8Array, piece = bytes.length): { readonly all: Recorded[]; readonly problem?: string } {
  const all: Recorded[] = [];
  const stream = new CaptureStream();
  for (let at = 0; at < bytes.length; at += piece) stream.push(bytes.subarray(at, at + piece), (r) => all.push(r));
  stream.end();
  return { all, ...(stream.problem === undefined ? {} : { problem: stream.problem }) };
}

const SYN = tcp({ flags: 2, seq: 4000000000 });

describe("capture files", () => {
  test.each([
    ["Ethernet", 1, ethernet(SYN)],
    ["Ethernet with two tags", 1, ethernet(SYN, [44, 103])],
    ["cooked", 113, cooked(SYN, 3)],
    ["cooked v2", 276, cooked2(SYN, 4)],
    ["raw IP", 101, SYN],
  ])("%s", (_, linkType, frame) => {
    for (const file of [
      pcap(linkType, [frame]),
      pcap(linkType, [frame], { little: false, nano: true }),
      pcapng(linkType, [frame]),
    ]) {
      for (const piece of [1, 7, 4096]) {
        const { all, problem } = recordsOf(file, piece);
        expect(problem).toBeUndefined();
        expect(all.map((r) => r.frame?.ip)).toMatchObject([
          { sport: 4000, dport: 80, protocol: 6, tcp: { flags: 2, seq: 4000000000 } },
        ]);
        expect(all[0]?.time.seconds).toBeCloseTo(1700000000.25, 5);
      }
    }
  });
  test("direction, tags and device", () => {
    expect(recordsOf(pcap(113, [cooked(SYN, 3)])).all[0]?.frame?.direction).toBe("other");
    expect(recordsOf(pcap(276, [cooked2(SYN, 4)])).all[0]?.frame).toMatchObject({ direction: "out", ifindex: 2 });
    expect(recordsOf(pcap(1, [ethernet(SYN, [44, 103])])).all[0]?.frame?.vlans).toEqual([44, 103]);
    expect(recordsOf(pcapng(1, [ethernet(SYN)])).all[0]?.device).toBe("eth7");
  });
  test("what a tunnel carries, ICMP errors and ARP", () => {
    const { all } = recordsOf(pcap(1, [ethernet(vxlan(ethernet(SYN))), ethernet(icmpError(SYN)), arp()]));
    expect(all[0]?.frame?.ip).toMatchObject({ tunnel: { kind: "vxlan", vni: 1 }, inner: { ip: { dport: 80 } } });
    expect(all[1]?.frame?.ip?.icmp).toMatchObject({ type: 3, code: 3, inner: { sport: 4000 } });
    expect(all[2]?.frame?.arp).toMatchObject({ operation: "request" });
  });
  test("a file that ends in the middle says so and keeps what came before", () => {
    const whole = pcap(1, [ethernet(SYN), ethernet(SYN)]);
    const { all, problem } = recordsOf(whole.subarray(0, whole.length - 5));
    expect([all.length, problem]).toEqual([1, "the file ends in the middle of a packet"]);
  });
  test("damage ends the reading without a throw", () => {
    const file = pcap(1, [ethernet(SYN)]);
    file.set([0xff, 0xff, 0xff, 0x7f], 24 + 8);
    expect(recordsOf(file).problem).toMatch(/claims/);
    expect(recordsOf(new Uint8Array([1, 2, 3, 4, 5])).problem).toBe("no pcap or pcapng");
  });
  test("a link type nobody reads is said", () => {
    const reader = new CaptureReader("x.pcap", { node: "n", capture: { kind: "read", file: "x.pcap", line: 1 } });
    reader.push(pcap(105, [SYN]));
    expect(reader.finish().diagnostics.map((d) => d.code)).toEqual(["pcap-link-type"]);
  });
});

const tcpdump = (() => {
  try {
    execFileSync("tcpdump", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!tcpdump)("what tcpdump prints of a file is what the file holds", () => {
  const frames = [
    ethernet(SYN),
    ethernet(tcp({ flags: 18, seq: 77, ack: 4000000001, reverse: true }), [44]),
    ethernet(tcp({ flags: 16, seq: 4000000001, ack: 78 })),
    ethernet(tcp({ flags: 24, seq: 4000000001, ack: 78, payload: 5 })),
    ethernet(udp(4001, 9999, new Uint8Array(12))),
    ethernet(icmpError(SYN)),
    ethernet(vxlan(ethernet(SYN))),
    arp(),
  ];
  test.each([
    ["Ethernet", 1, frames, ["-nn"]],
    ["Ethernet", 1, frames, ["-nn", "-e"]],
    ["Ethernet", 1, frames, ["-nn", "-v"]],
    ["Ethernet", 1, frames, ["-nn", "-e", "-vvv", "-tttt"]],
    ["Ethernet", 1, frames, ["-nn", "-t"]],
    ["Ethernet", 1, frames, ["-nn", "-tt", "-S"]],
    ["Ethernet", 1, frames, ["-nn", "-x"]],
    ["Ethernet", 1, frames, ["-nn", "-q"]],
    ["cooked", 113, [cooked(SYN, 0), cooked(SYN, 4)], ["-nn", "-e"]],
    ["cooked v2", 276, [cooked2(SYN, 0), cooked2(SYN, 4)], ["-nn", "-e"]],
    ["cooked v2", 276, [cooked2(SYN, 0), cooked2(SYN, 4)], ["-nn"]],
    ["raw", 101, [SYN, icmpError(SYN)], ["-nn", "-v"]],
  ])("%s %s", (_, linkType, list, options) => {
    const folder = mkdtempSync(join(tmpdir(), "hairpin-"));
    try {
      const file = pcap(linkType, list);
      writeFileSync(join(folder, "x.pcap"), file);
      const text = execFileSync("tcpdump", ["-r", join(folder, "x.pcap"), ...options], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
      const fact = readCapture(sourceOf("t", text), { command: ["tcpdump", ...options] }).facts[0];
      const packets = fact?.kind === "packets" ? fact.packets : [];
      const { all } = recordsOf(file);
      expect(packets).toHaveLength(all.length);
      expect(all.flatMap((r, i) => differences(packets[i], r.frame, `#${r.number}`))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test("a capture file without a name of its node is the only node's", () => {
  const reading = readCase([
    { path: "nodes/a/ip-rule.txt", text: "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n" },
    { path: "x.pcap", binary: "pcap", bytes: pcap(1, [ethernet(SYN)]) },
  ]);
  expect(reading.dumps.map((d) => [d.dialect.id, d.node.value])).toEqual([
    ["ip-rule", "a"],
    ["pcap", "a"],
  ]);
});
