import { expect, test } from "vitest";
import { figure, percent } from "./index.ts";

test("large figures are in groups of three digits", () => {
  expect([1, 9_999, 10_000, 351_584_965_000].map(figure)).toEqual(["1", "9999", "10,000", "351,584,965,000"]);
});

test("what is not all is never 100%, and what is something never 0%", () => {
  expect([0, 1, 0.5, 1 / 3, 0.9998, 0.99999, 0.0002].map(percent)).toEqual([
    "0%",
    "100%",
    "50%",
    "33.3%",
    "99.98%",
    "99.999%",
    "0.02%",
  ]);
});
