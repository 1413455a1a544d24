import { text } from "../../../messages/index.ts";
import { proxyChain } from "../../../model/index.ts";
import { wayOf } from "../../cause.ts";
import type { RuleCause } from "./dropping-rule.ts";

/** kube-proxy 1.26 and later rejects ports of virtual addresses that no Service has. */
export const kubeIpvsFilterReject: RuleCause = {
  code: "KUBE_IPVS_FILTER_REJECT",
  reads: ({ chain }, scene) =>
    proxyChain(chain.name) === "ipvs-filter"
      ? text("cause.kube_ipvs_filter_reject", { direction: wayOf(scene), stack: scene.leg.stack })
      : undefined,
};
