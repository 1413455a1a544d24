import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { zh } from "@hairpin/core/messages/zh/index.ts";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { HELP_ZH } from "../../packages/cli/src/help/zh.ts";
import { hairpin } from "../check/surface.ts";
import { brokenRules } from "./chinese.ts";
import { silentProgram } from "./command-line.ts";

const root = resolve(import.meta.dirname, "../..");
const breaks = (entries: readonly (readonly [string, string])[]) =>
  entries.flatMap(([id, text]) => brokenRules(text).map((rule) => `${id}: ${rule}: ${text.slice(0, 120)}`));

/** Every text of the command line's help, as it was written. */
function helpTexts(): readonly string[] {
  const of = (command: Command): readonly string[] => [
    command.summary(),
    command.description(),
    ...command.options.map((o) => o.description),
    ...command.registeredArguments.map((a) => a.description),
    ...command.commands.flatMap(of),
  ];
  return [...new Set(of(silentProgram()))].filter((text) => text !== "");
}

describe("Chinese", () => {
  test("the rules see what breaks them", () => {
    for (const bad of ["用TCP 访问", "端口80", "不通, 因为", "转储", "（报文） 路径", "报文(请求)"])
      expect(brokenRules(bad)).not.toEqual([]);
    for (const good of ["用 TCP 访问", "端口 80，回包", "使用 `iptables-save`。", "内核日志有“martian source”。"])
      expect(brokenRules(good)).toEqual([]);
  });

  test("messages keep to one set of rules", () => {
    expect(breaks(Object.entries(zh))).toEqual([]);
  });

  test("help keeps to it", () => {
    expect(breaks(Object.entries(HELP_ZH).map(([, said]) => [said.slice(0, 20), said] as const))).toEqual([]);
  });

  test("no text of the help is left in English, and none is translated that is not there", () => {
    expect(helpTexts().filter((text) => !(text in HELP_ZH))).toEqual([]);
    const used = new Set([...helpTexts(), "Usage:", "Arguments:", "Options:", "Commands:"]);
    const own = /^(?:Reads dumps of|print (?:the|this))/;
    expect(Object.keys(HELP_ZH).filter((text) => !used.has(text) && !own.test(text))).toEqual([]);
  });

  test("help is asked for in Chinese", async () => {
    const { out } = await hairpin("diff", "--help", "--lang", "zh");
    expect(out).toMatch(/^用法： hairpin diff/);
    expect(out).toContain("--node-a <name>");
    expect(out.split("\n").filter((line) => /[a-z]+ [a-z]+ [a-z]+ [a-z]+/.test(line))).toEqual([]);
    expect((await hairpin("diff", "--help")).out).toMatch(/^Usage: hairpin diff/);
  });

  const documents = [
    "README.zh.md",
    ...(existsSync(join(root, "docs/zh")) ? readdirSync(join(root, "docs/zh")).map((name) => `docs/zh/${name}`) : []),
  ];
  test.each(documents)("%s keeps to it", (file) => {
    const prose = readFileSync(join(root, file), "utf8").replace(/```[\s\S]*?```/g, "");
    expect(breaks(prose.split("\n").map((line, i) => [`${i + 1}`, line] as const))).toEqual([]);
  });
});
