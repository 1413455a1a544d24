import { fc } from "@hairpin/testing/property.ts";
import { expect, it } from "vitest";
import { type IpSet, read, type SetEntry, type SetPart } from "../../model/index.ts";
import { compareAddress, contains, ipv4Of, maxLength } from "../../net/index.ts";
import { CompiledSet } from "./ip-set-test.ts";

/** Few addresses, so that networks nest and repeat. */
const address = fc.nat(255).map((n) => ipv4Of(0x0a000000 + n));
const part: fc.Arbitrary<SetPart> = fc.oneof(
  fc.record({
    kind: fc.constant("address" as const),
    from: address,
    length: fc.constantFrom(0, 8, 24, 26, 28, 30, 31, 32, 32),
  }),
  fc.tuple(address, address).map(([a, b]): SetPart => {
    const [from, to] = compareAddress(a, b) <= 0 ? [a, b] : [b, a];
    return { kind: "range", from, to };
  }),
);
const entry = fc
  .tuple(part, fc.boolean())
  .map(([p, nomatch]): SetEntry => ({ parts: [p], nomatch, origin: read("ipset", 1) }));
const setOf = (entries: readonly SetEntry[]): IpSet => ({
  name: "nets",
  method: "hash",
  dimensions: ["net"],
  family: 4,
  options: [],
  entries,
  extent: "whole",
  origin: read("ipset", 1),
});

it("gives the entries that hold an address, those of the address itself first, as going through all of them does", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), address, (entries, asked) => {
      const holds = ({ parts: [p] }: SetEntry): boolean =>
        p?.kind === "address"
          ? contains({ address: p.from, length: p.length }, asked)
          : p?.kind === "range" && compareAddress(asked, p.from) >= 0 && compareAddress(asked, p.to) <= 0;
      const isHost = ({ parts: [p] }: SetEntry): boolean => p?.kind === "address" && p.length === maxLength(p.from);
      const plain = [...entries.filter(isHost), ...entries.filter((e) => !isHost(e))].filter(holds);
      const given = new CompiledSet(setOf(entries), () => undefined).candidates(asked);
      expect(given.filter(holds)).toEqual(plain);
      // Networks that do not hold it are not gone through.
      expect(given.every((e) => e.parts[0]?.kind === "range" || holds(e))).toBe(true);
    }),
    { numRuns: 400 },
  );
});
