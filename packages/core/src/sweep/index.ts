export * from "./answer.ts";
export * from "./flow.ts";
export { matchesGlob } from "./glob.ts";
export { SWEEP_SCHEMA, sweepJson, sweepLines } from "./json.ts";
export { BadMerge, mergeSweeps, readSweep, shardOf } from "./merge.ts";
export * from "./plan.ts";
export * from "./summary.ts";
export * from "./sweep.ts";
export * from "./swept.ts";
