import { ipv4Of, ipv6Of, isIpv4, PROTO, parseAddress } from "@hairpin/core/net/index.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import { frameBytes, type PacketSpec, packetBytes } from "../frames.ts";
import { decodeFrame } from "./frame.ts";
import { decodePacket } from "./packet.ts";

const ip = (text: string) => parseAddress(text)!;

const v4 = fc.nat({ max: 0xffffffff }).map(ipv4Of);
const v6 = fc.array(fc.nat({ max: 0xffff }), { minLength: 8, maxLength: 8 }).map(ipv6Of);
const port = fc.nat({ max: 65535 });
const spec: fc.Arbitrary<PacketSpec> = fc.oneof(v4, v6).chain((src) =>
  fc.record({
    src: fc.constant(src),
    dst: isIpv4(src) ? v4 : v6,
    protocol: fc.constantFrom(PROTO.tcp, PROTO.udp),
    sport: port,
    dport: port,
    flags: fc.nat({ max: 63 }),
    ttl: fc.integer({ min: 1, max: 255 }),
    tos: fc.nat({ max: 255 }),
    size: fc.nat({ max: 100 }),
  }),
);

describe("packets", () => {
  test("what is built is what is read", () => {
    fc.assert(
      fc.property(spec, (p) => {
        const seen = decodePacket(packetBytes(p))!;
        expect(seen).toMatchObject({
          src: p.src,
          dst: p.dst,
          protocol: p.protocol,
          sport: p.sport,
          dport: p.dport,
          flags: p.protocol === PROTO.tcp ? p.flags : 0,
          ttl: p.ttl,
          tos: p.tos,
          payload: p.size,
        });
      }),
    );
  });

  test("an ICMP error carries what it quotes", () => {
    const inner = { src: ip("10.0.0.1"), dst: ip("10.0.0.2"), protocol: PROTO.tcp, sport: 1, dport: 2 };
    const bytes = packetBytes({
      src: ip("10.0.0.9"),
      dst: ip("10.0.0.1"),
      protocol: PROTO.icmp,
      icmp: { type: 3, code: 1 },
      inner,
    });
    expect(decodePacket(bytes)).toMatchObject({ icmp: { type: 3, code: 1 }, inner: { dst: ip("10.0.0.2"), dport: 2 } });
  });

  test("anything may be cut short or be nonsense", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        decodePacket(Buffer.from(bytes));
      }),
    );
    fc.assert(
      fc.property(spec, fc.nat({ max: 60 }), (p, cut) => {
        decodePacket(packetBytes(p).subarray(0, cut));
      }),
    );
  });

  test("a tagged frame shows its VLAN, wherever the tag is kept", () => {
    const p = { src: ip("10.0.0.1"), dst: ip("10.0.0.2"), protocol: PROTO.udp, dport: 53 };
    const inFrame = frameBytes("02:00:00:00:00:01", "02:00:00:00:00:02", p, 7).toString("base64");
    const aside = frameBytes("02:00:00:00:00:01", "02:00:00:00:00:02", p).toString("base64");
    for (const seen of [
      decodeFrame(["s", "eth0", 0, "5", -1, 1, inFrame]),
      decodeFrame(["s", "eth0", 0, "5", 7, 1, aside]),
    ]) {
      expect(seen).toMatchObject({ vlan: 7, sourceMac: "02:00:00:00:00:02", packet: { dport: 53 }, time: 5n });
    }
  });

  test("a device without a link layer gives the bare packet", () => {
    const bytes = packetBytes({ src: ip("10.0.0.1"), dst: ip("10.0.0.2"), protocol: PROTO.udp, dport: 9 });
    const seen = decodeFrame(["s", "tun0", 4, "1", -1, 65534, bytes.toString("base64")]);
    expect(seen).toMatchObject({ direction: "out", etherType: 0x0800, packet: { dport: 9 } });
    expect(seen.sourceMac).toBeUndefined();
  });
});
