import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Remedy } from "../../fix.ts";

/** A load balancer that puts its own address in place of the client's never sends anybody his own. */
export const lbSourceNotKept: Remedy = {
  code: "LB_SOURCE_NOT_KEPT",
  cures: ["LB_LOOPBACK", "MARTIAN_LOCAL_SOURCE"],
  propose: ({ world, question }) => {
    const balancer = world.loadBalancers.find((b) => b.address === question.to);
    if (balancer === undefined || balancer.preserveClient === false) return [];
    const address = formatAddress(balancer.address);
    return [
      {
        code: "LB_SOURCE_NOT_KEPT",
        summary: text("fix.lb_source_not_kept", { address }),
        commands: [],
        outside: {
          where: text("where.balancer", { address }),
          touches: (flow) => flow.to.startsWith(`${address}:`),
          change: (w) => ({
            ...w,
            loadBalancers: w.loadBalancers.map((b) => (b === balancer ? { ...b, preserveClient: false } : b)),
          }),
        },
        lasting: [{ how: text("lasting.lb_preserve_client"), lines: [] }],
      },
    ];
  },
};
