import { text } from "../../../messages/index.ts";
import { wayOf } from "../../cause.ts";
import { type RuleCause, takesAll } from "./place.ts";

/** The closing REJECT of a distribution's firewall stands before what would accept the packet. */
export const ruleOrderReject: RuleCause = {
  code: "RULE_ORDER_REJECT",
  reads: ({ chain, rule }, scene) =>
    takesAll(rule) && rule.target.kind === "reject" && chain.policy !== undefined
      ? text("cause.rule_order_reject", { direction: wayOf(scene), stack: scene.leg.stack, chain: chain.name })
      : undefined,
};
