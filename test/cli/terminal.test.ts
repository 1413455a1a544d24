import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { diagnosisText } from "../../packages/cli/src/report/answer/diagnosis-text.ts";
import { columns } from "../../packages/cli/src/report/layout.ts";
import { styleFor } from "../../packages/cli/src/report/style.ts";
import { Askable, diagnose } from "../../packages/core/src/diagnose/index.ts";
import { LANGS, type Lang } from "../../packages/core/src/messages/index.ts";
import { hairpin } from "../check/surface.ts";

const cases = resolve(import.meta.dirname, "../../cases");
const names = readdirSync(cases).sort();

function told(name: string, lang: Lang, width?: number): string {
  const askable = new Askable(loadCase([join(cases, name)]), []);
  return diagnosisText(diagnose(askable, {}), {
    quote: (file, line) => askable.quote(file, line),
    style: styleFor({ isTTY: false }, {}),
    lang,
    verbose: false,
    ...(width === undefined ? {} : { width }),
  });
}

describe.each(LANGS)("the terminal's answer (%s)", (lang) => {
  test.each(names)("%s", async (name) => {
    await expect(told(name, lang, 80)).toMatchFileSnapshot(`golden/${name}.${lang}.txt`);
  });

  test.each(names)("%s: what one acts on fits a terminal of 80 columns and 24 rows, prompt included", (name) => {
    const screen = told(name, lang, 80).replace(/\n$/, "").split("\n");
    const rows = screen.reduce((n, line) => n + Math.max(1, Math.ceil(columns(line) / 80)), 0);
    expect(rows).toBeLessThan(24);
    const label = lang === "en" ? /^(?:Why|Open) /m : /^(?:原因|待定) /m;
    expect(screen.join("\n")).toMatch(label);
    const whole = told(name, lang);
    for (const part of lang === "en" ? ["Fix", "Undo", "Where", "Sure"] : ["修复", "撤销", "位置", "把握"])
      if (whole.split("\n").some((l) => l.startsWith(part))) expect(screen.some((l) => l.startsWith(part))).toBe(true);
  });

  test.each(names)("%s: prose keeps to 80 columns", (name) => {
    // Commands and lines of dumps stand further in and are never broken.
    const prose = told(name, lang, 80)
      .split("\n")
      .filter((l) => !/^ {11}|^(?:Undo|撤销) /.test(l));
    expect(prose.filter((l) => columns(l) > 80)).toEqual([]);
  });
});

describe("reports", () => {
  const folder = join(cases, "lb-loops-back");

  test("Markdown, SARIF and JUnit stand in for the text or go to files, and the status stays", async () => {
    const markdown = await hairpin("diagnose", folder, "--markdown");
    expect(markdown).toMatchObject({ status: 1, out: expect.stringMatching(/^# Can node\/node-1 reach/) });
    const sarif = JSON.parse((await hairpin("diagnose", folder, "--sarif")).out) as {
      runs: [{ results: { ruleId: string; locations: { physicalLocation: { region: { startLine: number } } }[] }[] }];
    };
    expect(sarif.runs[0].results[0]).toMatchObject({ ruleId: "LB_LOOPBACK" });
    expect(sarif.runs[0].results[0]?.locations[0]?.physicalLocation.region.startLine).toBeGreaterThan(0);
    expect((await hairpin("diagnose", folder, "--junit")).out).toContain('failures="1"');
    expect((await hairpin("diagnose", folder, "--sarif", "/nowhere/at/all.sarif")).status).toBe(74);
  });

  test("--lang answers in Chinese, and JSON stays English", async () => {
    expect((await hairpin("diagnose", folder, "--lang", "zh")).out).toContain("时通时断");
    expect((await hairpin("diagnose", folder, "--lang", "zh", "--json")).out).not.toMatch(/[\u4e00-\u9fff]/);
    expect((await hairpin("diagnose", folder, "--lang", "tlh")).status).toBe(64);
  });
});

test("the README shows what is printed today (npm run picture)", async () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../../README.md"), "utf8");
  const [, command = "", shown = ""] =
    /<!-- answer -->\n```console\n\$ \.\/hairpin (.+)\n([\s\S]*?)\n```/.exec(readme) ?? [];
  const { out } = await hairpin(
    ...command.split(" ").map((w) => (w.startsWith("cases/") ? join(cases, w.slice(6)) : w)),
  );
  expect(shown.length).toBeGreaterThan(200);
  expect(out.slice(0, shown.length)).toBe(shown);
});
