import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { applyPatch } from "@hairpin/core/assemble/index.ts";
import { diagnose } from "@hairpin/core/diagnose/index.ts";
import type { Stack, World } from "@hairpin/core/model/index.ts";
import { nameWord, shellLine, shellWord, Unspeakable } from "@hairpin/core/model/shell.ts";
import { shellWords } from "@hairpin/core/parse/shell-words.ts";
import { proposeFixes } from "@hairpin/core/remedy/index.ts";
import { judge, resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import { CASES, openCase } from "../../../../test/cases/bundled.ts";

const nasty = fc.string({ unit: fc.constantFrom(..."ab '\"\\$`;|&<>(){}*?!#~=-%^\t".replace("\t", "")), minLength: 1 });

describe("words of a command", () => {
  test("a shell takes each as it was", () => {
    const words = fc.sample(nasty, { numRuns: 60, seed: 7 });
    const line = shellLine(["printf", "%s\\0", ...words.map((w) => `x${w}`)]);
    expect(execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" }).split("\0").slice(0, -1)).toEqual(
      words.map((w) => `x${w}`),
    );
  });

  test("our own reader takes each as it was", () => {
    fc.assert(
      fc.property(nasty, (word) => {
        expect(shellWords(`a ${shellWord(word)} z`).map((w) => w.text)).toEqual(["a", word, "z"]);
      }),
    );
  });

  test.each(["a\nb", "a\u0000b", "\u001b[2J", "a\u2028b", "a\u202eb"])("%j is never said", (word) => {
    expect(() => shellWord(word)).toThrow(Unspeakable);
  });

  test.each(["", "-j", "!"])("%j is no name", (name) => {
    expect(() => nameWord(name)).toThrow(Unspeakable);
  });
});

/** A case with one device of one stack called otherwise, everywhere. */
function renamed(world: World, stack: string, from: string, to: string): World {
  const text = (s: Stack): Stack => ({
    ...s,
    devices: { ...s.devices, items: s.devices.items.map((d) => (d.name === from ? { ...d, name: to } : d)) },
  });
  return {
    ...world,
    stacks: world.stacks.map((s) => (s.name === stack ? text(s) : s)),
    links: world.links.map((l) => ({
      ...l,
      ends: l.ends.map((e) => (e.stack === stack && e.device === from ? { ...e, device: to } : e)),
    })) as World["links"],
  };
}

describe("a device with a hostile name", () => {
  const bundled = openCase(join(CASES, "hairpin-mode-off"));
  const proposed = (name: string) => {
    const world = renamed(bundled.askable.world, "node-a", "vethweb1", name);
    const resolved = resolveQuestion(world, bundled.askable.spec({}));
    if (resolved.ok !== true) throw new Error("not a question");
    const exploration = trace(resolved.world, resolved.question);
    const given = { world, question: resolved.question, exploration, judgement: judge(exploration) };
    return { world, fixes: proposeFixes(given), verdict: given.judgement.verdict };
  };

  test.each(["$(reboot)", "a;reboot", "a'b", "`id`", "a>b"])("%s is quoted, and the fix still works", (name) => {
    const { world, fixes, verdict } = proposed(name);
    expect(verdict).toBe("unreachable");
    expect(fixes.map((f) => f.code)).toEqual(["HAIRPIN_ON"]);
    expect(shellWords(fixes[0]!.commands[0]!).map((w) => w.text)).toContain(name);
    expect(shellWords(fixes[0]!.commands[0]!).some((w) => w.operator)).toBe(false);
    expect(applyPatch(world, fixes[0]!.commands).problems).toEqual([]);
  });

  test.each(["a\nreboot", "-rf"])("%j: rather no fix", (name) => {
    const { fixes, verdict } = proposed(name);
    expect([verdict, fixes]).toEqual(["unreachable", []]);
  });

  test("the case itself has its fix", () => {
    expect(diagnose(bundled.askable, {}).fixes.map((f) => f.code)).toEqual(["HAIRPIN_ON"]);
  });
});
