import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const docs = resolve(import.meta.dirname, "../../docs");
const markdownIn = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.endsWith(".md"));

/** Lines of commands and of what they print; that a command asks for Chinese, or where its remark stands, is no difference. */
const shown = (file: string): readonly string[] =>
  [...readFileSync(file, "utf8").matchAll(/^```.*\n([\s\S]*?)^```$/gm)]
    .flatMap((m) => m[1]!.split("\n"))
    .map((line) =>
      line
        .replaceAll(" --lang zh", "")
        .replace(/\s+(?=#)/, " ")
        .replace(/\s+$/, ""),
    );

/** Headings by their level and rows of tables, in their order: what a document is made of, whatever its language. */
const shape = (name: string, folder = docs): readonly string[] =>
  readFileSync(join(folder, name), "utf8")
    .replace(/^```[\s\S]*?^```$/gm, "")
    .split("\n")
    // What became of the bundled cases is told in their own folders in English, and all in one place in Chinese.
    .filter((line) => name !== "cases.md" || !line.startsWith("### "))
    .flatMap((line) => /^(?:#{1,4}(?= )|\|(?= ))/.exec(line) ?? []);

const translated = markdownIn(join(docs, "zh"));

describe("documents in Chinese", () => {
  test("there is one for each", () => {
    expect([...translated].sort()).toEqual([...markdownIn(docs)].sort());
  });

  test.each(translated)("%s shows what the English one shows, and nothing else", (name) => {
    const [here, there] = [shown(join(docs, "zh", name)), shown(join(docs, name))];
    expect(here.filter((line) => !there.includes(line))).toEqual([]);
    expect(there.filter((line) => !here.includes(line))).toEqual([]);
  });

  test.each(translated)("%s has the headings and tables of the English one, and leads to it", (name) => {
    expect(shape(name, join(docs, "zh"))).toEqual(shape(name));
    expect(readFileSync(join(docs, "zh", name), "utf8")).toContain(`[English](../${name})`);
  });

  test("codes of causes and fixes stand in the same order, with the same proof", () => {
    const rows = (name: string): readonly (readonly [string, boolean])[] =>
      readFileSync(join(docs, name), "utf8")
        .split("\n")
        .filter((line) => line.startsWith("| `"))
        .map((line) => [
          [...line.split(" | ")[0]!.matchAll(/`(\w+)`/g)].map((m) => m[1]).join(" "),
          line.split(" | ")[2] === "–",
        ]);
    expect(rows("causes.md").length).toBeGreaterThan(70);
    expect(rows("zh/causes.md")).toEqual(rows("causes.md"));
    expect(rows("zh/fixes.md").map(([code]) => code)).toEqual(rows("fixes.md").map(([code]) => code));
  });
});
