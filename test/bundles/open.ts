import type { Grade } from "./grade.ts";

/** Flows of the shared samples that stay open although no change of a lacking fact moved the kernel's verdict: none is left. */
export const OPEN: readonly (readonly [id: string, grade: Grade])[] = [];
