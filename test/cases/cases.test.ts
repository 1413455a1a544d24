import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { explain } from "@hairpin/core/explain/index.ts";
import { judge } from "@hairpin/core/trace/index.ts";
import { describe, expect, test } from "vitest";
import { traceText } from "../../packages/cli/src/report/trace-text.ts";
import { askings, bundledCases, worldOf } from "./bundled.ts";

/** Not in the case's own folder: there it would be read as evidence. */
const GOLDEN = fileURLToPath(new URL("golden/", import.meta.url));
const plain = (text: string): string => text;

describe.each(bundledCases().map((c) => [c.name, c] as const))("%s", (_name, bundled) => {
  test("says what it is about, what is asked and what comes out", () => {
    expect(existsSync(join(bundled.path, "README.md"))).toBe(true);
    const { caseFile } = bundled.loaded;
    expect(caseFile?.question?.from).toBeDefined();
    expect(caseFile?.question?.to).toBeDefined();
    expect(caseFile?.expect?.verdict).toBeDefined();
    expect(caseFile?.fixes.length).toBeGreaterThan(0);
  });

  test.each(askings(bundled).map((a) => [a.name, a] as const))("%s", (_what, asking) => {
    const { exploration } = bundled.askable.ask(asking.options, worldOf(bundled, asking));
    expect(judge(exploration).verdict).toBe(asking.verdict);
  });

  test("is explained by what it is expected to be", () => {
    const { question, exploration } = bundled.askable.ask({});
    const causes = explain(question!, exploration, judge(exploration)).map((c) => c.code);
    expect([...new Set(causes)].sort()).toEqual([...(bundled.loaded.caseFile?.expect?.causes ?? [])].sort());
  });

  test("the walk reads as before", async () => {
    const { exploration } = bundled.askable.ask({});
    const quote = (file: string, line: number) => bundled.askable.quote(file, line);
    const text = traceText(exploration, {
      quote,
      lang: "en",
      clean: plain,
      bold: plain,
      dim: plain,
      bad: plain,
      good: plain,
    });
    // What was assumed on the way is listed behind it, and grows with what the walk learns to ask.
    await expect(`${text.split("\n\nAssumed\n")[0]!.trimEnd()}\n`).toMatchFileSnapshot(
      join(GOLDEN, `${bundled.name}.txt`),
    );
  });
});
