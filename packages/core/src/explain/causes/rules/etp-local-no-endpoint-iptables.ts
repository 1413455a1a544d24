import type { StackCommand } from "../../../assemble/index.ts";
import { text } from "../../../messages/index.ts";
import { KUBELET_CHAIN, refusalOf } from "../../../model/index.ts";
import { argv, on, type Scene, wayOf } from "../../cause.ts";
import type { RuleCause } from "./dropping-rule.ts";

/** kube-proxy drops what comes from outside for a Service whose policy is Local and that has no endpoint here. */
export const etpLocalNoEndpointIptables: RuleCause = {
  code: "ETP_LOCAL_NO_ENDPOINT_IPTABLES",
  reads: ({ chain, rule, marking }, scene) => {
    const at = { direction: wayOf(scene), stack: scene.leg.stack };
    if (refusalOf(rule) === "no-local-endpoints") return text("cause.etp_local_no_endpoint_iptables", at);
    return chain.name === KUBELET_CHAIN.firewall && marking !== undefined
      ? text("cause.etp_local_no_endpoint_iptables.marked", at)
      : undefined;
  },
  without: (_, scene) => policyCluster(scene),
};

/** The policy that keeps the endpoints of other nodes out, where the Service's object was shown. */
export function policyCluster({ question, world }: Scene): readonly StackCommand[] {
  for (const { namespace, name, clusterIps, ...service } of world.kubernetes.services) {
    const inside = clusterIps.some((a) => a === question.to);
    const outside = [...service.externalIps, ...service.loadBalancerIps].some((a) => a === question.to);
    const query = service.ports.some(
      (p) =>
        p.protocol === question.protocol &&
        (inside || outside ? p.port === question.port : p.nodePort === question.port),
    );
    const policy = `spec.${inside ? "internal" : "external"}TrafficPolicy=Cluster`;
    if (query) return [on("", argv`svc/${namespace}/${name} ${policy}`)];
  }
  return [];
}
