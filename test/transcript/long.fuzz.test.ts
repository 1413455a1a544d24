import fc from "fast-check";
import { expect, test } from "vitest";
import { allDialects, sourceOf } from "../../packages/core/src/parse/index.ts";
import { holds, someFiles, someText } from "./properties.ts";

/** The same properties as in CI, with fresh seeds and for as long as HAIRPIN_FUZZ_SECONDS says. */
const seconds = Number(process.env.HAIRPIN_FUZZ_SECONDS ?? 120);
const long = {
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: (seconds * 1000) / 2,
  markInterruptAsFailure: false,
};

test("any files", () => fc.assert(fc.property(someFiles, holds), long), seconds * 2000);
test(
  "any text for every reader",
  () =>
    fc.assert(
      fc.property(fc.constantFrom(...allDialects), someText, (dialect, text) => {
        const source = sourceOf("f", text);
        for (const d of dialect.read(source, {}).diagnostics)
          expect(d.line).toBeLessThanOrEqual(Math.max(1, source.lines.length));
      }),
      long,
    ),
  seconds * 2000,
);
