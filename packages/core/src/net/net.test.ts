import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyMask,
  contains,
  formatAddress,
  formatPrefix,
  type Ipv6,
  lengthOfMask,
  maskFor,
  maskOf,
  parseAddress,
  parsePrefix,
} from "./index.ts";

const word = fc.integer({ min: 0, max: 0xffffffff });
const ipv6 = fc.tuple(word, word, word, word) as fc.Arbitrary<Ipv6>;

describe("addresses", () => {
  test("what is printed is read back", () => {
    fc.assert(
      fc.property(fc.oneof(word, ipv6), (a) => {
        expect(parseAddress(formatAddress(a))).toEqual(a);
      }),
    );
  });
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
    for (let n = 0; n <= 128; n++) expect(lengthOfMask(maskFor([0, 0, 0, 0], n))).toBe(n);
    expect(lengthOfMask(0xff00ff00)).toBeUndefined();
  });
  test("a prefix contains exactly what masks to its network", () => {
    const any = fc.oneof(
      fc.tuple(word, word, fc.integer({ min: 0, max: 32 })),
      fc.tuple(ipv6, ipv6, fc.integer({ min: 0, max: 128 })),
    );
    fc.assert(
      fc.property(any, ([a, b, length]) => {
        const mask = maskFor(a, length);
        const same = JSON.stringify(applyMask(a, mask)) === JSON.stringify(applyMask(b, mask));
        expect(contains({ address: a, length }, b)).toBe(same);
      }),
    );
  });
  test("host, length and netmask forms", () => {
    expect(formatPrefix(parsePrefix("10.0.0.1")!)).toBe("10.0.0.1/32");
    expect(formatPrefix(parsePrefix("10.0.0.0/255.255.0.0")!)).toBe("10.0.0.0/16");
    expect(parsePrefix("10.0.0.0/33")).toBeUndefined();
    expect(parsePrefix("10.0.0.0/255.0.255.0")).toBeUndefined();
  });
});
