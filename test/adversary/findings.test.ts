import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { haveReference, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { FINDINGS } from "./findings.ts";

const conformance = join(import.meta.dirname, "../../packages/lab/conformance");

/** `| 03–06 | …` and `| 07, 08 | …` name several. */
function listed(): readonly number[] {
  const rows = readFileSync(referencePath("adversary", "README.md"), "utf8").matchAll(/^\| (\d[\d–, ]*) \|/gm);
  return [...rows].flatMap(([, numbers]) =>
    numbers!.split(",").flatMap((part) => {
      const [from, to = from] = part.split("–").map(Number);
      return Array.from({ length: to! - from! + 1 }, (_, i) => from! + i);
    }),
  );
}

describe("each finding of the adversary has a folder", () => {
  test("every number once, in order", () => {
    expect(FINDINGS.map(([n]) => n)).toEqual(Array.from({ length: 51 }, (_, i) => i + 1));
  });

  test.skipIf(!haveReference)("the numbers are those of its list", () => {
    expect([...listed()].sort((a, b) => a - b)).toEqual(FINDINGS.map(([n]) => n));
  });

  test.each(FINDINGS.map(([n, ...folders]) => ({ n, folders })))("finding $n: $folders", ({ folders }) => {
    expect(folders.length).toBeGreaterThan(0);
    for (const folder of folders) {
      const by = folder.startsWith("found/")
        ? join(import.meta.dirname, folder, "flows.json")
        : join(conformance, folder, "expected.txt");
      expect(existsSync(by), by).toBe(true);
    }
  });
});
