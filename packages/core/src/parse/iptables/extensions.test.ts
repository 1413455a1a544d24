import { RULE_CASES } from "@hairpin/testing/iptables/lines.ts";
import { oneRule } from "@hairpin/testing/iptables/read.ts";
import { describe, expect, it } from "vitest";
import { matchExtensions, targetExtensions } from "./rule/registry.ts";

describe("every extension: read, and printed as iptables-save prints it", () => {
  for (const { family, table, input, saved } of RULE_CASES) {
    it(`IPv${family} ${input}`, () => {
      const { printed, complaints } = oneRule(input, { family, table });
      expect(complaints).toEqual([]);
      expect(printed).toBe(saved);
    });
    it(`IPv${family} printed again the same: ${saved}`, () => {
      const { printed, complaints } = oneRule(saved, { family, table });
      expect(complaints).toEqual([]);
      expect(printed).toBe(saved);
    });
  }

  it("leaves no extension and no option out", () => {
    const used = (name: string, option: string, letter: "m" | "j", family: 4 | 6 | undefined) =>
      RULE_CASES.some(
        (c) =>
          (family === undefined || c.family === family) &&
          `${c.saved} `.includes(`-${letter} ${name} `) &&
          (option === "" || [c.input, c.saved].some((text) => `${text} `.includes(`${option} `))),
      );
    const missing: string[] = [];
    for (const extension of matchExtensions)
      if (!used(extension.name, "", "m", extension.family)) missing.push(`-m ${extension.name}`);
    for (const extension of targetExtensions)
      if (!used(extension.name, "", "j", extension.family)) missing.push(`-j ${extension.name} IPv${extension.family}`);
    expect(missing).toEqual([]);
  });
});
