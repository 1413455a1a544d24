import { text } from "../../../messages/index.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { foundAt } from "../../scene.ts";

const limit = (n: number): string => `net.ipv4.neigh.default.gc_thresh${n}`;

/** Room for four times as many neighbours. */
export const neighbourLimitsRaise: Remedy = {
  code: "NEIGHBOUR_LIMITS_RAISE",
  cures: ["ARP_TABLE_OVERFLOW"],
  propose: (scene) =>
    foundAt(scene, neighbourLimitsRaise.cures).map((stack) => {
      const now = Number(stack.sysctls.get(limit(3))?.value ?? 1024);
      const most = (Number.isSafeInteger(now) && now > 0 ? now : 1024) * 4;
      return {
        code: "NEIGHBOUR_LIMITS_RAISE",
        summary: text("fix.neighbour_limits_raise", { stack: stack.name, limit: most }),
        commands: [sysctl(stack.name, limit(2), most / 2), sysctl(stack.name, limit(3), most)],
      };
    }),
};
