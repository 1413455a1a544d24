export { type Assembly, assemble, assembleObjects, objectsAlone } from "./assemble.ts";
export { inferBalancers } from "./balancers/index.ts";
export { takesBalanced } from "./balancers/targets.ts";
export { expectedWorld } from "./expected.ts";
export { inMode, type MovedMode, PROXY_MODES } from "./in-mode.ts";
export { madePort, PORT_PREFIX } from "./kube-proxy/made-port.ts";
export { observationsOf } from "./observations.ts";
export { datapathsOfNode } from "./other-datapaths/undumped.ts";
export {
  applyCommands,
  applyPatch,
  argv,
  type Change,
  commandLine,
  type Patched,
  type PatchProblem,
  type PatchStep,
  type ServiceField,
  type StackCommand,
  saysWhere,
} from "./patch/index.ts";
