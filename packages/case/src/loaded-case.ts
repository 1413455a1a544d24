import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import type { CaseFile } from "@hairpin/core/model/index.ts";
import { type CaseInput, type QuestionInput, type ReadBefore, readCase } from "@hairpin/core/parse/index.ts";
import { type CaseText, readCaseFile } from "./case-file.ts";

/** The topology a case starts from: its case.yaml, and the dumps that the case's own files replace by path. */
export interface BaseFiles {
  readonly caseFile: CaseText;
  readonly dumps: readonly CaseInput[];
}

export interface CaseFiles {
  readonly inputs: readonly CaseInput[];
  /** The one of them that is case.yaml. */
  readonly stated?: CaseInput | undefined;
  readonly notes: readonly string[];
}

export interface LoadOptions {
  /** What was typed of a question, case.yaml has the rest: of large captures its connection is kept. */
  readonly question?: QuestionInput | undefined;
  /** Finds the topology that `base: NAME` names, where there can be one. */
  readonly findBase?: (name: string) => BaseFiles | undefined;
  /** Of another case: what is the same in both is read once. */
  readonly readBefore?: ReadBefore | undefined;
}

/** From the files of a case to a case that can be asked: the command line and the page both come this way. */
export function loadedCase(
  { inputs, stated, notes }: CaseFiles,
  { question, findBase, readBefore }: LoadOptions = {},
): LoadedCase {
  let base: BaseFiles | undefined;
  const caseFile =
    stated?.text === undefined
      ? undefined
      : readCaseFile(stated.path, stated.text, (name) => {
          base = findBase?.(name);
          return base?.caseFile;
        });
  const own = inputs.filter((i) => i !== stated);
  const dumps = base === undefined ? own : withBase(own, base.dumps);
  return {
    inputs: base === undefined ? inputs : [...(stated === undefined ? [] : [stated]), base.caseFile, ...dumps],
    ...(caseFile === undefined ? {} : { caseFile }),
    reading: readCase(dumps, caseFile, question === undefined ? undefined : completed(question, caseFile), readBefore),
    notes,
  };
}

function completed(typed: QuestionInput, caseFile: CaseFile | undefined): QuestionInput {
  // Who types both ends asks about another flow.
  if (typed.from !== undefined && typed.to !== undefined) return typed;
  const stated = caseFile?.question;
  return {
    from: typed.from ?? stated?.from,
    to: typed.to ?? stated?.to,
    proto: typed.proto ?? stated?.proto,
    bind: typed.bind ?? stated?.bind,
  };
}

/** Both sets of files in the order in which one folder with all of them would be read. */
function withBase(own: readonly CaseInput[], base: readonly CaseInput[]): readonly CaseInput[] {
  const files = new Map([...base, ...own].map((input) => [input.path, input] as const));
  return [...files.values()].sort((a, b) => byFolder(a.path.split("/"), b.path.split("/")));
}

function byFolder(a: readonly string[], b: readonly string[]): number {
  const i = a.findIndex((part, at) => part !== b[at]);
  if (i < 0) return 0;
  return b[i] === undefined || a[i]! > b[i]! ? 1 : -1;
}
