import { Askable, diagnose, verdictOf } from "@hairpin/core/diagnose/index.ts";
import { causesIn, holdAll, record, type Sweep, sweep, sweepable, tallyOf } from "@hairpin/core/sweep/index.ts";
import { describe, expect, test } from "vitest";
import { styleFor } from "../../packages/cli/src/report/style.ts";
import { sweepJunit, sweepMarkdown, sweepSarif } from "../../packages/cli/src/report/sweep/sweep-reports.ts";
import { sweepText } from "../../packages/cli/src/report/sweep/sweep-text.ts";
import { bundledCases } from "./bundled.ts";

const style = styleFor({ isTTY: false }, {});

function ended<R>(walking: Generator<unknown, R>): R {
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

describe.each(bundledCases())("a sweep of $name", ({ name, loaded }) => {
  const askable = sweepable(loaded, []);
  const found: Sweep = ended(sweep(askable));

  test("asks everything, and each cause has a sentence and a question that diagnose answers alike", () => {
    expect([found.answered, found.flows > 0]).toEqual([found.flows, true]);
    const tally = tallyOf(found.classes);
    expect(Object.values(tally).reduce((n, c) => n + c, 0)).toBe(found.flows);
    for (const cause of causesIn(found.classes)) {
      expect([cause.code, cause.summary]).not.toEqual([cause.code, ""]);
      const { judgement, causes } = diagnose(askable, cause.example);
      expect(["unreachable", "intermittent"]).toContain(judgement.verdict);
      expect(causes.map((c) => c.code)).toContain(cause.code);
    }
  });

  // With the question that case.yaml states beside it.
  test("names a flow of each class that diagnose, asked as it is typed, answers alike", () => {
    const typed = new Askable(loaded, []);
    for (const { id, example, verdict, clientSees } of found.classes) {
      const { proto, ...ends } = example;
      const asked = verdictOf(typed, proto === "tcp" ? ends : example).verdict;
      expect([id, asked.verdict, asked.clientSees]).toEqual([id, verdict, clientSees]);
    }
  });

  test("holds all that is recorded of it", () => {
    const lines = ended(record(askable)).expectations.map((e, i) => ({ ...e, line: i + 1 }));
    const held = [...holdAll(askable, lines)];
    expect(held.filter((h) => h.result !== "holds").map((h) => h.expectation)).toEqual([]);
  });

  test("is said in every form, in both languages", () => {
    for (const lang of ["en", "zh"] as const)
      for (const said of [
        sweepText(found, { style, lang, verbose: true, paths: [name] }),
        sweepMarkdown(found, [name], lang),
      ])
        expect(said).not.toMatch(/\bundefined\b|\{[a-z]+\}|\b1 (?:flows|classes|targets)\b/);
    const sarif = JSON.parse(sweepSarif(found, [name])) as { runs: { results: { message: { text: string } }[] }[] };
    expect(sarif.runs[0]!.results).toHaveLength(causesIn(found.classes).length);
    const junit = sweepJunit(found, [name]);
    expect(junit.match(/<testcase /g)).toHaveLength(found.classes.length);
    expect(junit.match(/<failure /g)?.length ?? 0).toBe(
      found.classes.filter((c) => c.verdict === "unreachable" || c.verdict === "intermittent").length,
    );
  });
});
