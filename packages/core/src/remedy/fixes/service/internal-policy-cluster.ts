import { text } from "../../../messages/index.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { kubectlPatch } from "../../service-command.ts";
import { serviceAt } from "../../service-of.ts";

/** internalTrafficPolicy decides over the ClusterIP alone: with Cluster every endpoint serves it on every node. */
export const internalPolicyCluster: Remedy = {
  code: "INTERNAL_POLICY_CLUSTER",
  cures: ["ETP_LOCAL_NO_ENDPOINT_IPVS", "ETP_LOCAL_NO_ENDPOINT_IPTABLES"],
  propose: ({ world, leg }) => {
    const { dst } = leg.final;
    const service = serviceAt(world, dst);
    if (service?.internalTrafficPolicy !== "Local" || !service.clusterIps.some((a) => a === dst)) return [];
    const { namespace, name } = service;
    return [
      {
        code: "INTERNAL_POLICY_CLUSTER",
        summary: text("fix.internal_policy_cluster", { service: `${namespace}/${name}` }),
        commands: [command("", kubectlPatch(namespace, name, "internalTrafficPolicy", "Cluster"))],
        lasting: [{ how: text("lasting.daemonset_backend"), lines: [] }],
      },
    ];
  },
};
