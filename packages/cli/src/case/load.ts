import { readCaseFile } from "@hairpin/case/index.ts";
import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { type QuestionInput, readCase } from "@hairpin/core/parse/index.ts";
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
export function loadCase(paths: readonly string[], limits: Limits = LIMITS, query?: QuestionInput): LoadedCase {
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
    reading: readCase(dumps, caseFile, query === undefined ? undefined : completed(query, caseFile?.question)),
    notes,
  };
}

const completed = (requested: QuestionInput, stated: QuestionInput | undefined): QuestionInput => ({
  from: requested.from ?? stated?.from,
  to: requested.to ?? stated?.to,
  proto: requested.proto ?? stated?.proto,
  bind: requested.bind ?? stated?.bind,
});
