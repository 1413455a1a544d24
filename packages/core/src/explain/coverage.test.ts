import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { en } from "../messages/en/index.ts";
import { CAUSES, SIGNS } from "./index.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../../docs/causes.md"), "utf8");
const documented = new Set(
  page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([A-Z0-9_]+)`/g)].map((m) => m[1] ?? "")),
);
const found = new Set<string>([...CAUSES, ...SIGNS].flatMap((c) => c.codes));
const testsUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = resolve(folder, entry.name);
    if (entry.isDirectory()) return testsUnder(path);
    return entry.name.endsWith(".test.ts") && path !== import.meta.filename ? [readFileSync(path, "utf8")] : [];
  });
const ofCases = readFileSync(resolve(import.meta.dirname, "../../../../test/explain/causes.test.ts"), "utf8");
const tests = [...testsUnder(import.meta.dirname), ofCases].join("\n");

describe("every cause", () => {
  test("that is found is documented, and the other way round", () => {
    expect([...found].filter((c) => !documented.has(c)).sort()).toEqual([]);
    expect([...documented].filter((c) => !found.has(c)).sort()).toEqual([]);
  });

  test.each([...documented].sort())("%s has a text and a test of its own", (code) => {
    const id = `cause.${code.toLowerCase()}`;
    expect(Object.keys(en).some((key) => key === id || key.startsWith(`${id}.`))).toBe(true);
    expect(tests).toContain(code);
  });

  test("is documented once", () => {
    const codes = page.split("\n").flatMap((l) => (l.startsWith("| `") ? [l.split("|")[1] ?? ""] : []));
    expect(new Set(codes).size).toBe(codes.length);
  });

  afterAll(() => console.log(`${found.size} codes are found, ${documented.size} documented`));
});
