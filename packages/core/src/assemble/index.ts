export { type Assembly, assemble } from "./assemble.ts";
export { expectedWorld } from "./expected.ts";
export { observationsOf } from "./observations.ts";
export {
  applyPatch,
  type Change,
  type Patched,
  type PatchProblem,
  type PatchStep,
  type ServiceField,
  saysWhere,
} from "./patch/index.ts";
