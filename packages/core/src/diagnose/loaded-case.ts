import type { CaseFile } from "../model/index.ts";
import type { CaseInput, CaseReading } from "../parse/index.ts";

/** A case as it is asked: its files, what case.yaml states, and what was read. */
export interface LoadedCase {
  readonly inputs: readonly CaseInput[];
  readonly caseFile?: CaseFile;
  readonly reading: CaseReading;
  /** What was left out while reading the files: links, special files, other archives. */
  readonly notes: readonly string[];
}
