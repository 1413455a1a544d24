import { text } from "../../../messages/index.ts";
import { isKubeProxyTable, type Origin, type Stack } from "../../../model/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { ruleArguments } from "../../../parse/iptables/rule/print.ts";
import { command, iptables } from "../../commands.ts";
import type { Candidate, Remedy } from "../../fix.ts";
import { isOurs } from "../../scene.ts";

/** nft deletes by handles: only of a listing that shows them (`nft -a`) is it known which. */
function nativeRule(stack: Stack, origin: Origin | undefined): readonly Candidate[] {
  for (const table of stack.netfilter.nft ?? []) {
    if (isKubeProxyTable(table.name)) continue;
    for (const chain of table.chains) {
      const rule = chain.rules.find((r) => r.origin === origin);
      if (rule?.handle === undefined) continue;
      const at = [table.family, nameWord(table.name), nameWord(chain.name)];
      return [
        {
          code: "DELETE_RULE",
          summary: text("fix.delete_rule", {
            chain: chain.name,
            table: `${table.family} ${table.name}`,
            stack: stack.name,
          }),
          commands: [command(stack.name, ["nft", "delete", "rule", ...at, "handle", String(rule.handle)])],
        },
      ];
    }
  }
  return [];
}

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
    return nativeRule(stack, leg.origins[0]);
  },
};
