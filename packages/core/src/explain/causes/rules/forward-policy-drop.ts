import { text } from "../../../messages/index.ts";
import { wayOf } from "../../cause.ts";
import type { RuleCause } from "./dropping-rule.ts";

/** Docker sets the policy of FORWARD to DROP; what no rule accepts, Services and pods included, ends there. */
export const forwardPolicyDrop: RuleCause = {
  code: "FORWARD_POLICY_DROP",
  reads: ({ table, chain, rule }, scene) =>
    rule === undefined && chain.name === "FORWARD" && table.name === "filter"
      ? text("cause.forward_policy_drop", { direction: wayOf(scene), stack: scene.leg.stack })
      : undefined,
};
