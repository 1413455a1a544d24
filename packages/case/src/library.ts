/**
 * Hairpin as a library: what the package `hairpin` exports. Pure, without input or output: the caller brings the files. docs/library.md shows
 * its use; docs/stability.md says what stays.
 */
export { check, isClean } from "@hairpin/core/check/index.ts";
export {
  Askable,
  BadRequest,
  branchesJson,
  type Diagnosis,
  diagnose,
  diagnosisJson,
  type LoadedCase,
  namesJson,
  type QuestionOptions,
  tracedJson,
} from "@hairpin/core/diagnose/index.ts";
export { LANGS, type Lang, say, type Text } from "@hairpin/core/messages/index.ts";
export type { CaseInput } from "@hairpin/core/parse/index.ts";
export { BadCaseFile } from "./case-file.ts";
export { type CaseFiles, loadedCase } from "./loaded-case.ts";
