export { check, nodesOf } from "./check.ts";
export * from "./report.ts";
