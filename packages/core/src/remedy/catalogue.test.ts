import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CAUSE_CODES } from "@hairpin/core/explain/index.ts";
import { NO_CURE } from "@hairpin/core/explain/lessons/index.ts";
import { en } from "@hairpin/core/messages/en/index.ts";
import { REMEDIES } from "@hairpin/core/remedy/index.ts";
import { expect, test } from "vitest";

const cured = new Set<string>(REMEDIES.flatMap((r) => r.cures));

test("every cause has a fix, or it is said what to do instead", () => {
  expect(CAUSE_CODES.filter((code) => !cured.has(code) && NO_CURE[code] === undefined)).toEqual([]);
  expect(Object.keys(NO_CURE).filter((code) => cured.has(code))).toEqual([]);
});

test("every fix has a code of its own, a summary and a place in the documentation", () => {
  const ids = Object.keys(en);
  const all = REMEDIES.map((r) => r.code);
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((code) => !ids.includes(`fix.${code.toLowerCase()}`))).toEqual([]);
  const docs = readFileSync(fileURLToPath(new URL("../../../../docs/fixes.md", import.meta.url)), "utf8");
  expect(all.filter((code) => !docs.includes(`\`${code}\``))).toEqual([]);
});

test("one file a fix", () => {
  const folder = fileURLToPath(new URL("./fixes/", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  expect(files.length).toBe(REMEDIES.length);
});
