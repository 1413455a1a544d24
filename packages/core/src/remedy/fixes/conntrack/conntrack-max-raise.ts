import { text } from "../../../messages/index.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { foundAt } from "../../scene.ts";

const MAX = "net.netfilter.nf_conntrack_max";

/** Room for twice as many connections. */
export const conntrackMaxRaise: Remedy = {
  code: "CONNTRACK_MAX_RAISE",
  cures: ["CONNTRACK_FULL"],
  propose: (scene) =>
    foundAt(scene, conntrackMaxRaise.cures).flatMap((stack) => {
      const limit = Number(stack.sysctls.get(MAX)?.value);
      if (!Number.isSafeInteger(limit) || limit <= 0) return [];
      return [
        {
          code: "CONNTRACK_MAX_RAISE",
          summary: text("fix.conntrack_max_raise", { stack: stack.name, limit: limit * 2 }),
          commands: [sysctl(stack.name, MAX, limit * 2)],
          lasting: [{ how: text("lasting.kube_proxy_config"), lines: [`conntrack: { min: ${limit * 2} }`] }],
        },
      ];
    }),
};
