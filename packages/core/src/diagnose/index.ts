export { packetName, placeText, seesText } from "../messages/index.ts";
export { Askable } from "./askable.ts";
export { assumptionLines, assumptionsOf } from "./assumptions.ts";
export { BadRequest } from "./bad-request.ts";
export { type FamilyAnswer, familiesText } from "./both-families.ts";
export { causesOf, type Diagnosis, diagnose } from "./diagnose.ts";
export type { EvidenceOfCase } from "./evidence-of-case.ts";
export type { Tried } from "./fixes.ts";
export type { Inquiry } from "./inquiry.ts";
export { DIAGNOSIS_SCHEMA, diagnosisJson } from "./json/diagnosis-json.ts";
export { branchesJson, branchJson, legJson, originJson, packetJson, tracedJson } from "./json/trace-json.ts";
export type { LoadedCase } from "./loaded-case.ts";
export * from "./names.ts";
export { type Explanations, setText } from "./open/explanations.ts";
export { type NextCommand, nextText } from "./open/next-command.ts";
export {
  beyond,
  cautious,
  commandOf as groundCommand,
  otherwiseText,
  proofText,
  type RestsOn,
  restsLead,
} from "./open/rests-on.ts";
export { type Part, partsOf } from "./parts.ts";
export type { QuestionOptions } from "./question-options.ts";
export { type Quote, quoteLine } from "./quote.ts";
export { inDoubt } from "./settled-by-probes.ts";
export { originsOf, packetText, quotes, stepText } from "./step-text.ts";
export { type Unshown, unshownOn } from "./unshown.ts";
export { type Judged, verdictOf } from "./verdict-of.ts";
export { Verdicts } from "./verdicts.ts";
export { whatIf } from "./what-if.ts";
