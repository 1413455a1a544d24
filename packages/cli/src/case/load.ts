import { readCaseFile } from "@hairpin/case/index.ts";
import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { type AskedQuestion, readCase } from "@hairpin/core/parse/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { type BaseFiles, readBase, withBase } from "./base.ts";
import { Budget } from "./budget.ts";
import { readFiles } from "./files.ts";
import { LIMITS, type Limits } from "./limits.ts";

const isCaseFile = (path: string): boolean => /^case\.ya?ml$/.test(path);

/**
 * Reads one CASE, or several loose PATHs together. Throws a Failure that says what is wrong. `asked` is what was typed of a
 * question, case.yaml has the rest: of large captures its connection is kept.
 */
export function loadCase(paths: readonly string[], limits: Limits = LIMITS, asked?: AskedQuestion): LoadedCase {
  const budget = new Budget(limits);
  const { inputs, notes } = readFiles(paths, budget);
  const stated = inputs.find((i) => isCaseFile(i.path) || (paths.length > 1 && /(?:^|\/)case\.ya?ml$/.test(i.path)));
  if (inputs.length === 0) throw new Failure(EXIT.noInput, `${paths.join(", ")}: nothing to read there`);
  let base: BaseFiles | undefined;
  const caseFile =
    stated?.text === undefined
      ? undefined
      : readCaseFile(stated.path, stated.text, (name) => {
          base = paths.length === 1 ? readBase(paths[0]!, name, budget) : undefined;
          return base?.caseFile;
        });
  const own = inputs.filter((i) => i !== stated);
  const dumps = base === undefined ? own : withBase(own, base.dumps);
  return {
    inputs: base === undefined ? inputs : [...(stated === undefined ? [] : [stated]), base.caseFile, ...dumps],
    ...(caseFile === undefined ? {} : { caseFile }),
    reading: readCase(dumps, caseFile, asked === undefined ? undefined : completed(asked, caseFile?.question)),
    notes,
  };
}

const completed = (asked: AskedQuestion, stated: AskedQuestion | undefined): AskedQuestion => ({
  from: asked.from ?? stated?.from,
  to: asked.to ?? stated?.to,
  proto: asked.proto ?? stated?.proto,
  bind: asked.bind ?? stated?.bind,
});
