export type { QuestionInput } from "./capture/question/ends.ts";
export * from "./case/dump.ts";
export type { CaseInput } from "./case/input.ts";
export { readCase } from "./case/read-case.ts";
export * from "./diagnostic.ts";
export * from "./dialect.ts";
export * from "./facts.ts";
export { allDialects, observedDialects, readDialects, recognisedDialects } from "./registry.ts";
export * from "./source.ts";
