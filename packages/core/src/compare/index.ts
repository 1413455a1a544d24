export { type ComparedWorld, compare } from "./compare.ts";
export * from "./comparison.ts";
export { type Found, TableDiff, targetsOf } from "./differences/tables.ts";
export type { Element, ElementKind, NotShown } from "./element.ts";
export type { End } from "./ends.ts";
export type { Yardstick } from "./fate.ts";
export type { Flow, Who, Whom } from "./flows/flow.ts";
export type { Parting } from "./parting.ts";
export { Names } from "./shape/item.ts";
