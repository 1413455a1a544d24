import type { ObservedPlace } from "../model/index.ts";
import type { DumpContext } from "./dialect.ts";
import { originAt, type Source } from "./source.ts";

/** Where a dump of observations was taken. */
export function placeOf(source: Source, context: DumpContext, device?: string): ObservedPlace {
  return {
    node: context.node?.value ?? "node",
    ...(context.stack === undefined ? {} : { stack: context.stack.value }),
    ...(device === undefined ? {} : { device }),
    capture: originAt(source, 0),
  };
}
