import { text } from "../../../messages/index.ts";
import { wayOf } from "../../cause.ts";
import { commentOf, type RuleCause } from "./place.ts";

/** kube-proxy drops what comes from outside for a Service whose policy is Local and that has no endpoint here. */
export const etpLocalNoEndpointIptables: RuleCause = {
  code: "ETP_LOCAL_NO_ENDPOINT_IPTABLES",
  reads: ({ chain, rule, marking }, scene) => {
    const at = { direction: wayOf(scene), stack: scene.leg.stack };
    if (/has no local endpoints/.test(commentOf(rule))) return text("cause.etp_local_no_endpoint_iptables", at);
    return chain.name === "KUBE-FIREWALL" && marking !== undefined
      ? text("cause.etp_local_no_endpoint_iptables.marked", at)
      : undefined;
  },
};
