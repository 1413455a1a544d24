import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable } from "../../packages/core/src/diagnose/index.ts";
import { CAUSES, explain } from "../../packages/core/src/explain/index.ts";
import { LANGS, say } from "../../packages/core/src/messages/index.ts";
import { judge } from "../../packages/core/src/trace/index.ts";
import { haveReference, referenceJson, referencePath } from "../reference.ts";

const cases = resolve(import.meta.dirname, "../../cases");

function causesOf(path: string, options: Record<string, string> = {}) {
  const askable = new Askable(loadCase([path]), []);
  const asked = askable.ask(options);
  const judgement = judge(asked.exploration);
  const causes = [...explain(asked.question!, asked.exploration, judgement), ...askable.suspicions(asked)];
  return { verdict: judgement.verdict, causes };
}

describe("bundled cases", () => {
  test.each(readdirSync(cases))("%s: the causes it expects are found", (name) => {
    const folder = join(cases, name);
    const expected = loadCase([folder]).caseFile?.expect?.causes ?? [];
    const { causes } = causesOf(folder);
    expect(expected.filter((code) => !causes.some((c) => c.code === code))).toEqual([]);
    for (const c of causes) for (const lang of LANGS) expect(say(c.summary, lang).length).toBeGreaterThan(8);
  });
});

test("no two causes claim the same code by accident", () => {
  const codes = CAUSES.flatMap((c) => c.codes);
  const twice = codes.filter((code, i) => codes.indexOf(code) !== i);
  // NO_ENDPOINTS is seen in IPVS and in iptables, each by its own drop.
  expect(twice).toEqual(["NO_ENDPOINTS"]);
});

/** Incidents whose confirmed or secondary cause is among the first two, without a look at captures and logs. */
const FOUND = [
  "01",
  "02",
  "03",
  "11",
  "12",
  "13",
  "14",
  "17",
  "18",
  "20",
  "24",
  "27",
  "30",
  "34",
  "37",
  "41",
  "45",
  "49",
];

describe.skipIf(!haveReference)("published incidents", () => {
  const folders = haveReference ? readdirSync(referencePath("incidents")).filter((n) => /^\d/.test(n)) : [];
  test.each(folders)("%s", (name) => {
    const question = referenceJson<Record<string, string>>("incidents", name, "question.json");
    const expected = referenceJson<{ cause: string; cause_secondary: string | null }>(
      "incidents",
      name,
      "expected.json",
    );
    const { causes } = causesOf(referencePath("incidents", name, "dumps"), question);
    const right = [expected.cause, expected.cause_secondary];
    expect(causes.filter((c) => c.certainty === "proven" && !right.includes(c.code))).toEqual([]);
    if (FOUND.includes(name.slice(0, 2))) expect(causes.slice(0, 2).some((c) => right.includes(c.code))).toBe(true);
  });
});
