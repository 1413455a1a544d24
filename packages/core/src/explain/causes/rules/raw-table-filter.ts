import { text } from "../../../messages/index.ts";
import { wayOf } from "../../cause.ts";
import type { RuleCause } from "./dropping-rule.ts";

/** Table raw runs before conntrack: a filter there knows no connections, and drops the answers it was not told of. */
export const rawTableFilter: RuleCause = {
  code: "RAW_TABLE_FILTER",
  reads: ({ table }, scene) =>
    table.name === "raw"
      ? text("cause.raw_table_filter", { direction: wayOf(scene), stack: scene.leg.stack })
      : undefined,
};
