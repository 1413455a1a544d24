import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, lastOf, stepsOf } from "../../scene.ts";

/** A rule ahead of the one for the pod's address: this peer is reached, and answers, by the main table. */
export const policyRuleMain: Remedy = {
  code: "POLICY_RULE_MAIN",
  cures: ["POLICY_ROUTE_POD_SOURCE"],
  propose: ({ leg, stack }) => {
    const check = lastOf(stepsOf(leg, "source validation"));
    if (!isOurs(stack) || check === undefined) return [];
    const deciding = stack.routingRules.items.find((r) => check.origins.includes(r.origin));
    if (deciding === undefined) return [];
    const taken = new Set(stack.routingRules.items.map((r) => r.preference));
    let preference = deciding.preference - 1;
    while (preference > 0 && taken.has(preference)) preference--;
    if (preference <= 0) return [];
    const peer = formatAddress(check.packet.src);
    const words = ["ip", "rule", "add", "to", peer, "lookup", "main", "pref", String(preference)];
    return [
      {
        code: "POLICY_RULE_MAIN",
        summary: text("fix.policy_rule_main", { peer, stack: stack.name }),
        commands: [command(stack.name, words)],
      },
    ];
  },
};
