import { readdirSync } from "node:fs";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { afterAll, describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, BadRequest, diagnose } from "../../packages/core/src/diagnose/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";

const namesIn = (folder: string): readonly string[] =>
  haveReference ? readdirSync(referencePath(folder)).filter((n) => /^\d/.test(n)) : [];

/** What is left out makes no answer greener: none of these flows worked. */
describe.skipIf(!haveReference)("published incidents, each file left out in turn", () => {
  let tried = 0;
  for (const folder of ["incidents", "more-incidents"])
    test.each([...namesIn(folder)])(`${folder} %s`, (incident) => {
      const { sees: _, ...question } = referenceJson<Record<string, string>>(folder, incident, "question.json");
      const { inputs } = loadCase([referencePath(folder, incident, "dumps")]);
      const green = inputs.flatMap((left) => {
        const rest = inputs.filter((i) => i !== left);
        if (rest.length === 0) return [];
        try {
          tried++;
          const loaded = { inputs: rest, reading: readCase(rest), notes: [] };
          const { verdict } = diagnose(new Askable(loaded, []), question).judgement;
          return verdict === "reachable" ? [left.path] : [];
        } catch (error) {
          if (!(error instanceof BadRequest)) throw error;
          return [];
        }
      });
      expect(green).toEqual([]);
    });

  afterAll(() => console.log(`${tried} omissions tried`));
});
