export {
  apply,
  confirm,
  expire,
  type GuardReport,
  once,
  remove,
  type Status,
  status,
  waitsUntil,
} from "./guard.ts";
export { backendInUse } from "./iptables-tool.ts";
export { Trouble } from "./item.ts";
export { itemsOf } from "./items/index.ts";
export type { Kept } from "./state.ts";
export { phaseText, stateText } from "./texts.ts";
export { type UnitKind, unit } from "./units.ts";
export { watch } from "./watch.ts";
