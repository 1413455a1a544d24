export { BadCaseFile, readCaseFile } from "./case-file.ts";
