import { text } from "../../../messages/index.ts";
import { wayOf } from "../../cause.ts";
import type { RuleCause } from "./place.ts";

/** A chain of Calico, kube-router or Weave that enforces NetworkPolicy. */
export const networkPolicyDrop: RuleCause = {
  code: "NETWORK_POLICY_DROP",
  reads: ({ chain }, scene) =>
    /^(?:cali-|felix-|KUBE-POD-FW|KUBE-NWPLCY|KUBE-ROUTER|WEAVE-NPC)/.test(chain.name)
      ? text("cause.network_policy_drop", { direction: wayOf(scene), stack: scene.leg.stack, chain: chain.name })
      : undefined,
};
