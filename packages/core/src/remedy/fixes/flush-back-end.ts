import { text } from "../../messages/index.ts";
import type { IptablesTable, Origin, Stack } from "../../model/index.ts";
import { command } from "../commands.ts";
import type { Remedy } from "../fix.ts";
import { isOurs, stackOf, stepsOf } from "../scene.ts";
import { iptablesTool } from "../undo/iptables.ts";

/** The nat table in one of whose kube-proxy chains a rule stands. */
const proxyTableOf = (stack: Stack | undefined, origin: Origin | undefined): IptablesTable | undefined =>
  stack?.netfilter.tables.find(
    (t) =>
      t.name === "nat" && t.chains.some((c) => c.name.startsWith("KUBE-") && c.rules.some((r) => r.origin === origin)),
  );

/** What kube-proxy left in the back end it no longer writes to is taken out of the way. */
export const flushBackEnd: Remedy = {
  code: "FLUSH_BACK_END",
  cures: ["LEGACY_NFT_CONFLICT"],
  propose: ({ branch, world }) => {
    for (const step of stepsOf(branch.request, "nat")) {
      const stack = stackOf(world, step.stack);
      const table = step.manip === "destination" ? proxyTableOf(stack, step.origin) : undefined;
      if (!isOurs(stack) || table === undefined || table.backend === "unknown") continue;
      return [
        {
          code: "FLUSH_BACK_END",
          summary: text("fix.flush_back_end", { backend: table.backend, stack: stack.name }),
          commands: [command(stack.name, [iptablesTool(table), "-t", "nat", "-F", "KUBE-SERVICES"])],
        },
      ];
    }
    return [];
  },
};
