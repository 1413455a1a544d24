import { text } from "../../../messages/index.ts";
import { type Cause, lastOf, stackOf, stepsOf } from "../../cause.ts";

/** The way back is decided by a `from POD` or `iif` rule, which sends it out of another card. */
export const policyRoutePodSource: Cause = {
  codes: ["POLICY_ROUTE_POD_SOURCE"],
  detect: ({ leg, direction, world }) => {
    if (leg.drop !== "IP_RPFILTER" || direction !== "reply") return [];
    const check = lastOf(stepsOf(leg, "source validation"));
    const rules = stackOf(world, leg.stack)?.routingRules.items ?? [];
    const rule = rules.find((r) => (r.from !== undefined || r.iif !== undefined) && check?.origins.includes(r.origin));
    if (check?.reverseDevice === undefined || rule === undefined) return [];
    const summary = text("cause.policy_route_pod_source", {
      preference: rule.preference,
      reverse: check.reverseDevice,
      device: check.device,
    });
    return [{ code: "POLICY_ROUTE_POD_SOURCE", summary, stack: leg.stack, evidence: [rule.origin], root: true }];
  },
};
