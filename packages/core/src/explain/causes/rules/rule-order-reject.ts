import { text } from "../../../messages/index.ts";
import type { Rule } from "../../../model/index.ts";
import { wayOf } from "../../cause.ts";
import { type DroppingRule, type RuleCause, takesAll } from "./dropping-rule.ts";

const accepts = ({ target }: Rule): boolean => target.kind === "accept";

/**
 * The closing REJECT of a distribution's firewall stands before what would accept the packet: in a built-in chain, or in one that
 * accepts some before it. A DROP is taken for one only where an ACCEPT stands behind it, too late.
 */
function closesChain({ chain, rule, number }: DroppingRule): boolean {
  if (!takesAll(rule)) return false;
  const [before, behind] = [chain.rules.slice(0, number - 1), chain.rules.slice(number)];
  if (rule.target.kind === "reject") return chain.policy !== undefined || before.some(accepts);
  return rule.target.kind === "drop" && behind.some(accepts);
}

export const ruleOrderReject: RuleCause = {
  code: "RULE_ORDER_REJECT",
  reads: (place, scene) =>
    closesChain(place)
      ? text("cause.rule_order_reject", { direction: wayOf(scene), stack: scene.leg.stack, chain: place.chain.name })
      : undefined,
};
