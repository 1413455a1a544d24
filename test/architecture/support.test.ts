import { LANGS } from "@hairpin/core/messages/index.ts";
import { expect, test } from "vitest";
import { supportOnDisk, supportTable } from "../../scripts/support-table.ts";

test.each(LANGS)("docs/support.md says what the code does (%s); `npm run docs` writes it anew", (lang) => {
  expect(supportOnDisk(lang)).toBe(supportTable(lang));
});
