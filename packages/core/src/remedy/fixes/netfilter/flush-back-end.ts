import { text } from "../../../messages/index.ts";
import { type IptablesTable, isKubeName, PROXY_CHAIN, type RuleRef, ruleAt, type Stack } from "../../../model/index.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, stackOf, stepsOf } from "../../scene.ts";
import { iptablesTool } from "../../undo/iptables.ts";

/** The nat table in one of whose kube-proxy chains a rule stands. */
function proxyTableOf(stack: Stack | undefined, rule: RuleRef | undefined): IptablesTable | undefined {
  const found = ruleAt(stack, rule);
  return found?.table.name === "nat" && isKubeName(found.chain.name) ? found.table : undefined;
}

/** What kube-proxy left in the back end it no longer writes to is taken out of the way. */
export const flushBackEnd: Remedy = {
  code: "FLUSH_BACK_END",
  cures: ["LEGACY_NFT_CONFLICT"],
  propose: ({ branch, world }) => {
    for (const step of stepsOf(branch.request, "nat")) {
      const stack = stackOf(world, step.stack);
      const table = step.manip === "destination" ? proxyTableOf(stack, step.by) : undefined;
      if (!isOurs(stack) || table === undefined || table.backend === "unknown") continue;
      return [
        {
          code: "FLUSH_BACK_END",
          summary: text("fix.flush_back_end", { backend: table.backend, stack: stack.name }),
          commands: [command(stack.name, [iptablesTool(table), "-t", "nat", "-F", PROXY_CHAIN.services])],
        },
      ];
    }
    return [];
  },
};
