import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const packages = resolve(dirname(fileURLToPath(import.meta.url)), "../../packages");

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name === "node_modules" || name === "dist" || name === "testing") return [];
    if (statSync(path).isDirectory()) return sourcesIn(path);
    return /\.tsx?$/.test(name) && !name.endsWith(".test.ts") ? [path] : [];
  });

/** Lines of the product that fit a pattern, but for those of some folders. */
function linesWith(pattern: RegExp, except: RegExp): readonly string[] {
  return sourcesIn(packages).flatMap((path) => {
    const name = relative(packages, path);
    if (except.test(name)) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line, i) => (pattern.test(line) ? [`${name}:${i + 1}: ${line.trim()}`] : []));
  });
}

test("a table that is asked with words of a dump is made by lookup()", () => {
  expect(linesWith(/^(?:export )?const \w+: Readonly<Record<string, .*>> = \{(?!\};)/, /^lab\//)).toEqual([]);
});

test("no list of a dump is handed over as arguments", () => {
  // The addresses' eight groups, and words of a command's own.
  expect(linesWith(/\.push\(\.\.\.[^,]*\);$/, /^(?:lab|core\/src\/net)\//)).toEqual([]);
  expect(linesWith(/Math\.(?:max|min)\(\.\.\.[a-z]+\.map/, /^lab\//)).toEqual([]);
});

test("JSON is printed by jsonText(), and nothing is written past the surface", () => {
  expect(linesWith(/JSON\.stringify\(.*, null, 2\)/, /^(?:lab|core|guard|collect|case|web)\//)).toEqual([]);
  expect(linesWith(/process\.stdout\.write|console\.(?:log|error)/, /^lab\//)).toEqual([]);
});
