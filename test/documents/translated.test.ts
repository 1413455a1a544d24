import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const docs = resolve(import.meta.dirname, "../../docs");
const markdownIn = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.endsWith(".md"));

/** For those who work on Hairpin, or a table for look-ups: English only. */
const ENGLISH_ONLY = new Set(["kernel-spec.md"]);

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

describe("documents in Chinese", () => {
  test("there is one for each that its users read", () => {
    const there = new Set(markdownIn(join(docs, "zh")));
    expect(markdownIn(docs).filter((name) => !ENGLISH_ONLY.has(name) && !there.has(name))).toEqual([]);
    expect([...ENGLISH_ONLY].filter((name) => !existsSync(join(docs, name)))).toEqual([]);
    expect([...there].filter((name) => !existsSync(join(docs, name)))).toEqual([]);
  });

  test.each(markdownIn(join(docs, "zh")))("%s shows nothing that the English one does not", (name) => {
    const there = new Set(shown(join(docs, name)));
    expect(shown(join(docs, "zh", name)).filter((line) => !there.has(line))).toEqual([]);
  });
});
