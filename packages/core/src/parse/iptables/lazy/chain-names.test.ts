import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { ChainNames } from "./chain-names.ts";

function namesOf(words: readonly string[]): ChainNames {
  const names = new ChainNames(words.join(" "));
  let at = 0;
  for (const word of words) {
    names.push(at, at + word.length);
    at += word.length + 1;
  }
  return names;
}

const word = fc.string({ unit: fc.constantFrom("A", "B", "-"), minLength: 1, maxLength: 12 });

describe("the names of chains in their text", () => {
  it("are found as in a list of them, and known to be twice", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), word, (words, wanted) => {
        const names = namesOf(words);
        expect(names.indexOf(wanted)).toBe(words.lastIndexOf(wanted));
        for (const one of words) expect(names.indexOf(one)).toBe(words.lastIndexOf(one));
        expect(words.map((_, i) => names.at(i))).toEqual(words);
        expect(words.map((_, i) => names.startsWith(i, wanted))).toEqual(words.map((w) => w.startsWith(wanted)));
        expect(names.areDistinct).toBe(new Set(words).size === words.length);
      }),
      { numRuns: 300 },
    );
  });

  it("are found where somebody chose them so that all fall on one place", () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `${String(i).padStart(6, "0")}-SAME-END`);
    const names = namesOf(words);
    expect(names.areDistinct).toBe(true);
    expect(names.indexOf(words[12_345]!)).toBe(12_345);
    expect(names.indexOf("nobody-SAME-END")).toBe(-1);
    expect(namesOf([...words, words[7]!]).areDistinct).toBe(false);
  });
});
