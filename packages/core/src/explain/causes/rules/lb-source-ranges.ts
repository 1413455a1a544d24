import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { wayOf } from "../../cause.ts";
import type { RuleCause } from "./place.ts";

/** loadBalancerSourceRanges, which since 1.25 holds for pods, too. */
export const lbSourceRanges: RuleCause = {
  code: "LB_SOURCE_RANGES",
  reads: ({ chain }, scene) =>
    /^KUBE-(?:FW-|PROXY-FIREWALL|SOURCE-RANGES-FIREWALL)/.test(chain.name)
      ? text("cause.lb_source_ranges", {
          direction: wayOf(scene),
          stack: scene.leg.stack,
          source: formatAddress(scene.leg.final.src),
        })
      : undefined,
};
