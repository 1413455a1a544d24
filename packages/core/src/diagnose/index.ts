export { Askable, type Asked, type QuestionOptions } from "./askable.ts";
export { assumptionLines, assumptionsOf } from "./assumptions.ts";
export { BadRequest } from "./bad-request.ts";
export { type Diagnosis, diagnose } from "./diagnose.ts";
export type { Tried } from "./fixes.ts";
export { DIAGNOSIS_SCHEMA, diagnosisJson } from "./json.ts";
export type { LoadedCase } from "./loaded-case.ts";
export { type Quote, quoteLine } from "./quote.ts";
export { originsOf, packetText, quotes, stepText } from "./step-text.ts";
