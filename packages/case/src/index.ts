export { BadCaseFile, type CaseText, type FindBase, readCaseFile } from "./case-file.ts";
export { expectJsonSchema, readExpectations } from "./expectations.ts";
export { type BaseFiles, loadedCase } from "./loaded-case.ts";
