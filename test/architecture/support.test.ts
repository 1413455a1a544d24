import { expect, test } from "vitest";
import { supportOnDisk, supportTable } from "../../scripts/support-table.ts";

test("docs/support.md says what the code does; `npm run docs` writes it anew", () => {
  expect(supportOnDisk()).toBe(supportTable());
});
