import { readdirSync } from "node:fs";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { afterAll, describe, expect, test } from "vitest";
import { Askable, BadRequest, diagnose } from "../../packages/core/src/diagnose/index.ts";
import { type Expected, rightCodes, score } from "./expected.ts";
import { FORMS } from "./forms.ts";

/** Folders of incidents, and how many of each must be right when asked of the folder of dumps. */
const FOLDERS = [
  ["incidents", 30],
  ["more-incidents", 11],
] as const;

interface Row {
  readonly incident: string;
  readonly form: string;
  readonly sees: boolean;
  readonly right: boolean;
  readonly text: string;
}

const namesIn = (folder: string): readonly string[] =>
  haveReference ? readdirSync(referencePath(folder)).filter((n) => /^\d/.test(n)) : [];

describe.skipIf(!haveReference)("published incidents", () => {
  const rows: Row[] = [];

  for (const [folder, enough] of FOLDERS) {
    describe(folder, () => {
      for (const incident of namesIn(folder)) {
        const { sees, ...asked } = referenceJson<Record<string, string>>(folder, incident, "question.json");
        const expected = referenceJson<Expected>(folder, incident, "expected.json");
        const questions = sees === undefined ? [asked] : [asked, { ...asked, sees }];
        for (const form of FORMS) {
          for (const question of questions) {
            const withSees = question !== asked;
            test(`${incident}, ${form.name}${withSees ? `, sees ${sees}` : ""}`, () => {
              const loaded = form.load(folder, incident);
              if (loaded === undefined) return;
              const row = { incident, form: form.name, sees: withSees };
              try {
                const diagnosis = diagnose(new Askable(loaded, []), question);
                const { judgement, causes } = diagnosis;
                const scored = score(diagnosis, expected);
                const { right, ...faults } = scored;
                const shown = causes.map((c) => `${c.code} (${c.certainty})`).join(", ") || "none";
                const wrong = faults.falseReachable || faults.wrongProven.length > 0 || faults.forbidden.length > 0;
                const mark = right ? "right" : wrong ? "WRONG" : "-";
                const text = `${mark} | ${rightCodes(expected).join(", ")} | ${judgement.verdict} | ${shown}`;
                rows.push({ ...row, right, text });
                expect(faults).toEqual({ falseReachable: false, wrongProven: [], forbidden: [] });
              } catch (error) {
                // A text without the names of machines cannot be asked of one by name.
                if (!(error instanceof BadRequest) || form.name === "folder") throw error;
                rows.push({ ...row, right: false, text: `- | ${rightCodes(expected).join(", ")} | ${error.message}` });
              }
            });
          }
        }
      }

      for (const sees of [false, true])
        test(`enough are right ${sees ? "with" : "without"} what the client sees`, () => {
          const all = namesIn(folder);
          const wrong = all.filter((n) => {
            const mine = rows.filter((r) => r.incident === n && r.form === "folder");
            // What the client saw is not told of every one.
            return (mine.find((r) => r.sees === sees) ?? mine[0])?.right !== true;
          });
          expect({ right: all.length - wrong.length, wrong }).toSatisfy((r: { right: number }) => r.right >= enough);
        });
    });
  }

  afterAll(() => {
    const lines = rows.map((r) => `${r.incident.slice(0, 2)} | ${r.form}${r.sees ? "+sees" : ""} | ${r.text}`);
    const counts = FORMS.flatMap(({ name }) =>
      [false, true].map((sees) => {
        const of = rows.filter((r) => r.form === name && r.sees === sees);
        return `${name}${sees ? "+sees" : ""}: ${of.filter((r) => r.right).length} of ${of.length} right`;
      }),
    );
    console.log(["incident | form | score | confirmed | verdict | causes", ...lines, ...counts].join("\n"));
  });
});
