export { type Assembly, assemble } from "./assemble.ts";
export type { Note, NoteKind } from "./ledger.ts";
export { observationsOf } from "./observations.ts";
export { applyPatch, type Patched, type PatchProblem } from "./patch/index.ts";
