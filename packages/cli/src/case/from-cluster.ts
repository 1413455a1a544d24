import type { CaseInput } from "@hairpin/core/parse/index.ts";

/** Stands for a case: what was read of the cluster that runs. So answers call it, and so a command that they name can be typed. */
export const LIVE = "--live";

let read: readonly CaseInput[] = [];

/** One command line reads the cluster once. */
export const keepLive = (inputs: readonly CaseInput[]): void => {
  read = inputs;
};
export const liveInputs = (): readonly CaseInput[] => read;
