import { loadedCase } from "@hairpin/case/index.ts";
import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { text } from "@hairpin/core/messages/index.ts";
import type { CaseInput, QuestionInput, ReadBefore } from "@hairpin/core/parse/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { readBase } from "./base.ts";
import { Budget } from "./budget.ts";
import { readFiles } from "./files.ts";
import { LIVE, liveInputs } from "./from-cluster.ts";
import { LIMITS, type Limits } from "./limits.ts";

const isCaseFile = (path: string): boolean => /^case\.ya?ml$/.test(path);

export interface Beside {
  /** Files that lie nowhere: what somebody pasted. */
  readonly pasted?: readonly CaseInput[];
  /** The topology a case starts from lies beside its folder: whether that may be read. */
  readonly mayHaveBase?: (folder: string) => boolean;
  /** Of the snapshot that this one is held against. */
  readonly readBefore?: ReadBefore;
}

/** Reads one CASE, or several loose PATHs together. Throws a Failure that says what is wrong. */
export function loadCase(
  paths: readonly string[],
  limits: Limits = LIMITS,
  question?: QuestionInput,
  { pasted = [], mayHaveBase = () => true, readBefore }: Beside = {},
): LoadedCase {
  const budget = new Budget(limits);
  const { inputs: read, notes } = readFiles(
    paths.filter((p) => p !== LIVE),
    budget,
  );
  const inputs = [...read, ...(paths.includes(LIVE) ? liveInputs() : []), ...pasted];
  const stated = inputs.find((i) => isCaseFile(i.path) || (paths.length > 1 && /(?:^|\/)case\.ya?ml$/.test(i.path)));
  if (inputs.length === 0) {
    const nothing = text("error.nothing-to-read", { paths: paths.join(", ") });
    throw new Failure(EXIT.noInput, [nothing, ...notes.slice(0, 3)]);
  }
  const findBase = (name: string) =>
    paths.length === 1 && mayHaveBase(paths[0]!) ? readBase(paths[0]!, name, budget) : undefined;
  return loadedCase({ inputs, stated, notes }, { question, findBase, readBefore });
}
