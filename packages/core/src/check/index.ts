export { check, nodesOf } from "./check.ts";
export { disagreementsOf } from "./contradictions/index.ts";
export { differencesOf, type NodeDifferences } from "./differences/index.ts";
export * from "./report.ts";
