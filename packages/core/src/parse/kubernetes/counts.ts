import type { Counts } from "../../messages/index.ts";
import type { Gathered } from "./objects/index.ts";

/** For `check`: what there is, without the zeros. */
export function countsOf({ objects, others, secrets, emptyLists }: Gathered): Counts {
  const counts: Counts = {
    services: objects.services.length,
    endpoints: objects.endpoints.length,
    nodes: objects.nodes.length,
    pods: objects.pods.length,
    "network policies": objects.networkPolicies.length,
    "kube-proxy configurations": objects.kubeProxyConfigs.length,
    "IP pools": objects.ipPools.length,
    "service CIDRs": objects.serviceCidrs?.length ?? 0,
    "flannel networks": objects.flannelNetworks.length + objects.flannelSubnets.length,
    "other objects": others + secrets.length,
  };
  const found = Object.entries(counts).filter(([, n]) => n > 0);
  // A List whose objects were read one by one is empty in the end; one that had none says that there is none.
  return Object.fromEntries(found.length === 0 && emptyLists > 0 ? [["empty lists", emptyLists]] : found);
}
