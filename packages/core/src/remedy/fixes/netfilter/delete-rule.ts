import { text } from "../../../messages/index.ts";
import { ruleArguments } from "../../../parse/iptables/rule/print.ts";
import { iptables } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs } from "../../scene.ts";

/** The rule that drops it goes. */
export const deleteRule: Remedy = {
  code: "DELETE_RULE",
  cures: ["RULE_DROP", "RULE_ORDER_REJECT", "RAW_TABLE_FILTER", "RULE_CORRUPTED_BY_VERSION_SKEW"],
  propose: ({ leg, stack }) => {
    if (!isOurs(stack) || leg.drop !== "NETFILTER_DROP") return [];
    for (const table of stack.netfilter.tables) {
      for (const chain of table.chains) {
        const rule = chain.rules.find((r) => r.origin === leg.origins[0]);
        if (rule === undefined) continue;
        return [
          {
            code: "DELETE_RULE",
            summary: text("fix.delete_rule", { chain: chain.name, table: table.name, stack: stack.name }),
            commands: [
              iptables(stack, table.family, table.name, "-D", chain.name, ...ruleArguments(rule, table.family)),
            ],
          },
        ];
      }
    }
    return [];
  },
};
