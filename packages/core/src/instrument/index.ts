export { type Commands, type Method, prefixOf } from "./commands.ts";
export type { Hypothesis } from "./hypotheses.ts";
export { type Plan, type Prediction, planOf } from "./plan.ts";
export type { CaptureProbe, LogProbe, Probe } from "./probe.ts";
export { type NodeCommands, nodeCommands } from "./script.ts";
export { type Settled, settle, wereWatched } from "./settle.ts";
export { watchable } from "./watchable.ts";
