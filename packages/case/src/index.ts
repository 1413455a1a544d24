export { BadCaseFile, type CaseText, type FindBase, readCaseFile } from "./case-file.ts";
