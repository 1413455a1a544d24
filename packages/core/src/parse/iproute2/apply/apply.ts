/** Changes as typed, carried out on the model with the list semantics of the kernel. Pure. */
export type { Applied, Refusal } from "./applied.ts";
export { applyAddress } from "./apply-address.ts";
export { applyLink } from "./apply-link.ts";
export { applyNeighbour } from "./apply-neighbour.ts";
export { applyRoute, applyToTables } from "./apply-route.ts";
export { applyRule, defaultPreference } from "./apply-rule.ts";
