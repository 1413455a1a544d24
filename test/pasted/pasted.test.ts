import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, diagnose, type QuestionOptions } from "../../packages/core/src/diagnose/index.ts";

interface Expected {
  readonly question: QuestionOptions;
  /** Codes of which the first cause must be one. */
  readonly causes: readonly string[];
  /** What is true beside; nothing else may be proven. */
  readonly beside?: readonly string[];
}

/** What people paste into an issue: excerpts of listings, tables of kubectl, a capture, all of one fault and in no order. */
describe("pasted excerpts of a known fault", () => {
  const here = import.meta.dirname;
  const names = readdirSync(here, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []));
  describe.each(names)("%s", (name) => {
    const {
      question,
      causes,
      beside = [],
    } = JSON.parse(readFileSync(join(here, name, "expected.json"), "utf8")) as Expected;
    const { sees, ...bare } = question;
    const forms: readonly (readonly [string, QuestionOptions])[] = [
      ["without what the client sees", bare],
      [`sees ${sees}`, question],
    ];
    test.each(forms)("%s", (_, asked) => {
      const answer = diagnose(new Askable(loadCase([join(here, name, "dumps")]), []), asked);
      expect(answer.judgement.verdict).not.toBe("reachable");
      expect(causes).toContain(answer.causes[0]?.code);
      const proven = answer.causes.filter((c) => c.certainty === "proven").map((c) => c.code as string);
      expect(proven.filter((code) => !causes.includes(code) && !beside.includes(code))).toEqual([]);
    });
  });
});
