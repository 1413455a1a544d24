import { text } from "../../../messages/index.ts";
import { wayOf } from "../../cause.ts";
import type { RuleCause } from "./dropping-rule.ts";

/** A rule that no more specific cause covers: it is named. */
export const ruleDrop: RuleCause = {
  code: "RULE_DROP",
  reads: ({ table, chain, rule, number }, scene) => {
    const at = { direction: wayOf(scene), stack: scene.leg.stack, chain: chain.name, table: table.name };
    return rule === undefined ? text("cause.rule_drop.policy", at) : text("cause.rule_drop", { ...at, number });
  },
};
