import type { Gathered } from "./objects/index.ts";

/** For `check`: what there is, without the zeros. */
export function countsOf({ objects, others, secrets }: Gathered): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {
    services: objects.services.length,
    endpoints: objects.endpoints.length,
    nodes: objects.nodes.length,
    pods: objects.pods.length,
    "network policies": objects.networkPolicies.length,
    "kube-proxy configurations": objects.kubeProxyConfigs.length,
    "IP pools": objects.ipPools.length,
    "flannel networks": objects.flannelNetworks.length + objects.flannelSubnets.length,
    "other objects": others + secrets.length,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
}
