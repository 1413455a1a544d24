import { readFileSync } from "node:fs";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { differences } from "@hairpin/testing/same-packet.ts";
import { describe, expect, test } from "vitest";
import type { ObservedPacket } from "../../packages/core/src/model/index.ts";
import { CaptureStream, type Recorded } from "../../packages/core/src/parse/capture/binary/stream.ts";
import { readCapture } from "../../packages/core/src/parse/capture/text.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";

interface Case {
  readonly name: string;
  readonly pcap: string;
  readonly options: string;
  readonly expected: string;
}

/** Cases whose text and bytes are not read alike, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "mpls-ldp-hello": "link type PPP",
  "lspping-fec-ldp": "link type PPP",
  "lspping-fec-rsvp": "link type PPP",
  "mpls-traceroute": "link type PPP",
  "mpls-traceroute-v": "link type PPP",
  "cve2015-0261_01": "link type SLIP",
  icmp6_nodeinfo_oobr: "link type SLIP",
  "icmp-icmp_print-oobr-2": "link type Frame Relay",
  "vrrp-vrrp_print-oobr": "link type Frame Relay",
  ipoib: "link type IP over InfiniBand",
  "ipv6-routing-header": "a routing header moves the ports out of the addresses in the text",
  "ipv6-srh-insert-cksum": "a routing header moves the ports out of the addresses in the text",
  "ipv6-srh-ipproto-ether-v": "an Ethernet frame inside a routing header",
  ipv6_jumbogram_invalid_length: "damage: the text stops at a jumbo option",
  "ipv6-mobility-header-oobr": "damage: the mobility header leads elsewhere",
  ipv4_invalid_total_length_2: "damage: the text stops before the addresses",
  icmp6_mobileprefix_asan: "damage: the text shows an id of a kind we do not decode",
  "arp-oobr": "damage: one of 2314 ARP frames has a hardware address of no length",
};

function framesOf(pcap: string): readonly Recorded[] {
  const frames: Recorded[] = [];
  const stream = new CaptureStream();
  const bytes = readFileSync(referencePath("corpora", pcap));
  // In pieces of odd sizes, as a stream brings them.
  for (let at = 0; at < bytes.length; at += 1013) stream.push(bytes.subarray(at, at + 1013), (r) => frames.push(r));
  return frames;
}

function compare({ pcap, options, expected }: Case): { readonly wrong: string[]; readonly compared: number } {
  const frames = framesOf(pcap);
  const source = sourceOf("text", expected);
  const fact = readCapture(source, {}).facts[0];
  const packets: readonly ObservedPacket[] = fact?.kind === "packets" ? fact.packets : [];
  const close = (p: ObservedPacket, r: Recorded): boolean =>
    p.time?.base !== "epoch" || Math.abs(p.time.seconds - r.time.seconds) < 2e-6;
  // A filter on the command line: the numbers are those of what passed it.
  if (/ geneve/.test(options)) {
    const lost = packets.filter((p) => !frames.some((r) => close(p, r) && differences(p, r.frame).length === 0));
    return { wrong: lost.map((p) => `no frame like line ${p.origin.line}`), compared: packets.length };
  }
  const numberAt = (line: number): number => Number(/^\s*(\d+) {2}/.exec(source.lines[line - 1]!)?.[1]);
  const byNumber = new Map(packets.map((p) => [numberAt(p.origin.line), p]));
  const printed = new Set(source.lines.flatMap((l) => /^\s*(\d+) {2}(?:\d{4}-|\d\d:)/.exec(l)?.[1] ?? []).map(Number));
  const shown = frames.filter((r) => printed.has(r.number));
  const wrong = shown.flatMap((r) => {
    const p = byNumber.get(r.number);
    return [
      ...differences(p, r.frame, `#${r.number}`),
      ...(p !== undefined && !close(p, r) ? [`#${r.number}: another time`] : []),
    ];
  });
  return { wrong, compared: shown.length };
}

describe.skipIf(!haveReference)(
  "tcpdump's own tests: the text yields the packets of the capture it was printed from",
  () => {
    const cases = haveReference ? referenceJson<Case[]>("corpora", "tcpdump-tests.json") : [];
    const results = cases.map((c) => ({ ...c, ...compare(c) }));
    test("all but the exceptions", () => {
      expect(
        results.filter((r) => r.wrong.length > 0 && EXCEPTIONS[r.name] === undefined).map((r) => [r.name, r.wrong]),
      ).toEqual([]);
    });
    test("every exception is one", () => {
      const excepted = results.filter((r) => r.wrong.length > 0).map((r) => r.name);
      expect(Object.keys(EXCEPTIONS).filter((name) => !excepted.includes(name))).toEqual([]);
      expect([excepted.length, results.length]).toEqual([18, 207]);
    });
    test("packets were compared", () => {
      expect(results.reduce((n, r) => n + r.compared, 0)).toBeGreaterThan(4000);
    });
  },
);
