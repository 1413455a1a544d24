import { text } from "../../../messages/index.ts";
import { isPolicyChain } from "../../../model/index.ts";
import { wayOf } from "../../cause.ts";
import { policiesBehind } from "../../owners/policies.ts";
import type { RuleCause } from "./dropping-rule.ts";

/** A chain of Calico, kube-router or Weave that enforces NetworkPolicy. */
export const networkPolicyDrop: RuleCause = {
  code: "NETWORK_POLICY_DROP",
  reads: ({ table, chain }, scene) => {
    if (!isPolicyChain(chain.name)) return undefined;
    const { pod, policies } = policiesBehind(scene.world, table, chain, scene.leg.final);
    const common = { direction: wayOf(scene), stack: scene.leg.stack, chain: chain.name };
    if (policies.length === 0) return text("cause.network_policy_drop", common);
    const named = { ...common, pod: pod ?? text("policies.a-pod"), policies };
    return policies.length === 1
      ? text("cause.network_policy_drop.named", named)
      : text("cause.network_policy_drop.several", named);
  },
};
