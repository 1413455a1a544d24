import type { Grade } from "./grade.ts";

/** Flows of the shared samples that are not answered as they should be yet. */
export const OPEN: readonly (readonly [id: string, grade: Grade])[] = [
  ["periscope-s-f2", "unsure"],
  ["periscope-s-f3", "unsure"],
  ["periscope-s-f4", "unsure"],
  ["periscope-s-f8", "unsure"],
  ["talos-s-f6", "unsure"],
];
