import { fc } from "@hairpin/testing/property.ts";
import { expect, it } from "vitest";
import { type NftElement, read } from "../../model/index.ts";
import { compareAddress, contains, ipv4Of } from "../../net/index.ts";
import { Intervals } from "./intervals.ts";

const at = (n: number) => ({ kind: "address" as const, value: ipv4Of(0x0a000000 + n) });
const key = fc.oneof(
  fc.tuple(fc.nat(1023), fc.constantFrom(24, 28, 29, 30, 31)).map(([n, length]) => ({
    kind: "prefix" as const,
    value: at(n),
    length,
  })),
  fc.tuple(fc.nat(1023), fc.nat(6)).map(([n, more]) => ({ kind: "range" as const, from: at(n), to: at(n + more) })),
);
const element = key.map((k) => ({ key: k, origin: read("nft", 1) }) as unknown as NftElement);

const holds = ({ key: k }: NftElement, n: number): boolean => {
  const { value } = at(n);
  if (k.kind === "prefix" && k.value.kind === "address")
    return contains({ address: k.value.value, length: k.length }, value);
  if (k.kind !== "range" || k.from.kind !== "address" || k.to.kind !== "address") return false;
  return compareAddress(value, k.from.value) >= 0 && compareAddress(value, k.to.value) <= 0;
};

it("finds the element that going through all of them would, and leaves alone what overlaps", () => {
  let indexed = 0;
  let left = 0;
  fc.assert(
    fc.property(fc.array(element, { minLength: 8, maxLength: 14 }), fc.array(fc.nat(1100)), (elements, asked) => {
      const intervals = Intervals.of(elements);
      if (intervals === undefined) {
        left++;
        return;
      }
      indexed++;
      for (const n of [...asked, ...Array.from({ length: 128 }, (_, i) => i * 8)])
        expect(intervals.find(at(n).value)).toBe(elements.find((e) => holds(e, n)));
    }),
    { numRuns: 300 },
  );
  expect(indexed).toBeGreaterThan(20);
  expect(left).toBeGreaterThan(20);
});
