export type { LabBackend, OpenOptions } from "./backend.ts";
export { LabError } from "./executor/session.ts";
export * from "./frames.ts";
export { type Cleaned, cleanLeftovers } from "./leftovers.ts";
export { openNetns } from "./netns/backend.ts";
export { type NetnsSupport, netnsSupport } from "./netns/probe.ts";
export * from "./observation.ts";
export * from "./plan.ts";
export type { KernelProfile, RunOptions } from "./run.ts";
