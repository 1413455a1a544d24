import { afterAll, describe, expect, test } from "vitest";
import { Askable, BadRequest, cautious, type LoadedCase, verdictOf } from "../../packages/core/src/diagnose/index.ts";
import { type CaseInput, readCase } from "../../packages/core/src/parse/index.ts";
import { judge } from "../../packages/core/src/trace/index.ts";
import { type Asking, askings, type Bundled, bundledCases } from "./bundled.ts";
import { sectionsOf } from "./sections.ts";

/** The same case where something was not given. */
interface Omission {
  readonly what: string;
  readonly inputs: readonly CaseInput[];
}

const given = (path: string): boolean => !/(?:^|\/)(?:case\.yaml|README\.md)$/.test(path);

/** Every file in turn, and of a file that holds several tables or sets every one of them. */
function omissions({ loaded: { inputs } }: Bundled): readonly Omission[] {
  return inputs
    .filter((i) => given(i.path))
    .flatMap((left): Omission[] => {
      const rest = inputs.filter((i) => i !== left);
      const cut = sectionsOf(left).map(({ name, without }) => ({
        what: `${left.path} without ${name}`,
        inputs: inputs.map((i) => (i === left ? { ...left, text: without } : i)),
      }));
      return [{ what: `without ${left.path}`, inputs: rest }, ...cut];
    });
}

function reduced({ loaded }: Bundled, { inputs }: Omission): LoadedCase {
  const { caseFile, notes } = loaded;
  return { inputs, reading: readCase(inputs, caseFile), notes, ...(caseFile !== undefined && { caseFile }) };
}

/** Undefined: what was left out is what the question or the fix is about, so that it cannot be asked any more. */
function answer(askable: Askable, { options, fix }: Asking): string | undefined {
  try {
    if (fix === undefined) return verdictOf(askable, options).verdict.verdict;
    const { exploration } = askable.ask(options, askable.patched(fix).world);
    return cautious(judge(exploration), exploration).verdict;
  } catch (refused) {
    if (refused instanceof BadRequest) return undefined;
    throw refused;
  }
}

let tried = 0;
let answers = 0;
let open = 0;

describe.each(bundledCases().map((c) => [c.name, c] as const))("%s", (_name, bundled) => {
  const asked = askings(bundled).map((asking) => ({ asking, full: answer(bundled.askable, asking) }));
  test.each(omissions(bundled).map((o) => [o.what, o] as const))("%s", (_what, omission) => {
    const askable = new Askable(reduced(bundled, omission), []);
    tried++;
    const contradicting = asked.flatMap(({ asking, full }) => {
      const now = answer(askable, asking);
      if (now !== undefined) answers++;
      if (now === "undetermined") open++;
      return now === undefined || now === "undetermined" || full === "undetermined" || now === full
        ? []
        : [`${asking.name}: ${now}, and ${full} by all that was given`];
    });
    expect(contradicting).toEqual([]);
  });
});

afterAll(() => console.log(`${tried} omissions, ${answers} answers, ${open} of them left open`));
