import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import {
  type Address,
  ANY6,
  applyMask,
  bytesOf,
  compareAddress,
  contains,
  equalUnder,
  formatAddress,
  formatPrefix,
  ipv4At,
  ipv4Of,
  ipv6At,
  ipv6Of,
  isIpv4,
  isLinkLocal,
  isLoopback,
  isMulticast,
  isUnspecified,
  lastOf,
  lengthOfMask,
  maskFor,
  maskOf,
  offset,
  parseAddress,
  parsePrefix,
  underMask,
} from "./index.ts";

const ipv4 = fc.integer({ min: 0, max: 0xffffffff }).map(ipv4Of);
const ipv6 = fc.array(fc.nat({ max: 0xffff }), { minLength: 8, maxLength: 8 }).map(ipv6Of);

describe("addresses", () => {
  test("what is printed is read back", () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (a) => {
        expect(parseAddress(formatAddress(a))).toBe(a);
      }),
    );
  });
  test("bytes, groups and order", () => {
    const read = (a: Address) => (isIpv4(a) ? ipv4At(bytesOf(a)) : ipv6At(bytesOf(a)));
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), fc.oneof(ipv4, ipv6), fc.integer({ min: -70000, max: 70000 }), (a, b, by) => {
        expect(read(a)).toBe(a);
        expect(offset(offset(a, by), -by)).toBe(a);
        expect(new Set([a, read(a), b]).size).toBe(formatAddress(a) === formatAddress(b) ? 1 : 2);
        const bits = (x: Address) =>
          bytesOf(x)
            .map((n) => String.fromCharCode(n))
            .join("");
        const order =
          isIpv4(a) === isIpv4(b) ? (bits(a) < bits(b) ? -1 : bits(a) > bits(b) ? 1 : 0) : isIpv4(a) ? -1 : 1;
        expect(Math.sign(compareAddress(a, b))).toBe(order);
      }),
    );
    expect(formatAddress(offset(parseAddress("2001:db8::ffff:ffff")!, 1))).toBe("2001:db8::1:0:0");
    expect(formatAddress(offset(parseAddress("255.255.255.255")!, 1))).toBe("0.0.0.0");
  });
  test.each([
    ["127.9.9.9", isLoopback, true],
    ["128.0.0.1", isLoopback, false],
    ["::1", isLoopback, true],
    ["::2", isLoopback, false],
    ["0.0.0.0", isUnspecified, true],
    ["0.0.0.1", isUnspecified, false],
    ["::", isUnspecified, true],
    ["239.1.1.1", isMulticast, true],
    ["240.0.0.1", isMulticast, false],
    ["ff02::1", isMulticast, true],
    ["169.254.1.1", isLinkLocal, true],
    ["febf::1", isLinkLocal, true],
    ["fec0::1", isLinkLocal, false],
  ] as const)("%s %o", (text, test, is) => expect(test(parseAddress(text)!)).toBe(is));
  test.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "1..2.3",
    "01.2.3.4",
    "1.2.3.4 ",
    "::1::",
    ":::",
    "1:2:3:4:5:6:7:8:9",
    "g::",
  ])("%j is no address", (text) => expect(parseAddress(text)).toBeUndefined());
  test.each([
    ["::", "::"],
    ["::1", "::1"],
    ["2001:0db8:0000:0000:0000:0000:0002:0001", "2001:db8::2:1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["::ffff:10.0.0.1", "::ffff:10.0.0.1"],
    ["fe80::1", "fe80::1"],
  ])("%s prints as %s", (text, printed) => expect(formatAddress(parseAddress(text)!)).toBe(printed));
});

describe("prefixes", () => {
  test("mask and length are each other's inverse", () => {
    for (let n = 0; n <= 32; n++) expect(lengthOfMask(maskOf(n))).toBe(n);
    for (let n = 0; n <= 128; n++) expect(lengthOfMask(maskFor(ANY6, n))).toBe(n);
    expect(lengthOfMask(ipv4Of(0xff00ff00))).toBeUndefined();
  });
  test("a prefix contains exactly what masks to its network", () => {
    const any = fc.oneof(
      fc.tuple(ipv4, ipv4, fc.integer({ min: 0, max: 32 })),
      fc.tuple(ipv6, ipv6, fc.integer({ min: 0, max: 128 })),
    );
    fc.assert(
      fc.property(any, ([a, b, length]) => {
        const mask = maskFor(a, length);
        const same = applyMask(a, mask) === applyMask(b, mask);
        expect(contains({ address: a, length }, b)).toBe(same);
      }),
    );
  });
  test("bits under a mask, and the last address", () => {
    fc.assert(
      fc.property(ipv6, ipv6, fc.integer({ min: 0, max: 128 }), (a, b, length) => {
        const mask = maskFor(a, length);
        const mixed = underMask(a, b, mask);
        expect(equalUnder(mask, mixed, b)).toBe(true);
        expect(contains({ address: b, length }, mixed)).toBe(true);
        expect(contains({ address: a, length }, lastOf({ address: a, length }))).toBe(true);
        if (length < 128) expect(bytesOf(lastOf({ address: a, length }))[15]! & 1).toBe(1);
      }),
    );
    expect(formatAddress(lastOf(parsePrefix("10.1.2.3/22")!))).toBe("10.1.3.255");
    expect(formatAddress(lastOf(parsePrefix("0.0.0.0/0")!))).toBe("255.255.255.255");
    expect(formatAddress(lastOf(parsePrefix("2001:db8::/33")!))).toBe("2001:db8:7fff:ffff:ffff:ffff:ffff:ffff");
  });
  test("host, length and netmask forms", () => {
    expect(formatPrefix(parsePrefix("10.0.0.1")!)).toBe("10.0.0.1/32");
    expect(formatPrefix(parsePrefix("10.0.0.0/255.255.0.0")!)).toBe("10.0.0.0/16");
    expect(parsePrefix("10.0.0.0/33")).toBeUndefined();
    expect(parsePrefix("10.0.0.0/255.0.255.0")).toBeUndefined();
  });
});
