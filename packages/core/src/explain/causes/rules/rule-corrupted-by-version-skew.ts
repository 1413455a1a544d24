import { text } from "../../../messages/index.ts";
import { KUBELET_CHAIN } from "../../../model/index.ts";
import { wayOf } from "../../cause.ts";
import { type RuleCause, takesAll } from "./dropping-rule.ts";

/** iptables of another version read back the rule without its mark, and kube-proxy or the kubelet restored it so. */
export const ruleCorruptedByVersionSkew: RuleCause = {
  code: "RULE_CORRUPTED_BY_VERSION_SKEW",
  reads: ({ chain, rule }, scene) =>
    chain.name === KUBELET_CHAIN.firewall && takesAll(rule)
      ? text("cause.rule_corrupted_by_version_skew", { direction: wayOf(scene), stack: scene.leg.stack })
      : undefined,
};
