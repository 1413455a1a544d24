import type { World } from "../model/index.ts";
import { containsPrefix, formatPrefix, isIpv4, type Prefix, parsePrefix } from "../net/index.ts";

/** The range all pods are in, where somebody states it: kube-proxy, flannel, Calico. Largest first. */
export function podNetworks(world: World): readonly Prefix[] {
  const { kubernetes: k } = world;
  const stated = [
    ...k.kubeProxyConfigs.flatMap((c) => c.clusterCidrs.map(parsePrefix)),
    ...k.flannelNetworks.flatMap((f) => f.networks),
    ...k.flannelSubnets.flatMap((f) => f.networks),
    ...k.ipPools.filter((p) => !p.disabled).map((p) => p.cidr),
  ].filter((p): p is Prefix => p !== undefined && isIpv4(p.address));
  const unique = [...new Map(stated.map((p) => [formatPrefix(p), p])).values()].sort((a, b) => a.length - b.length);
  return unique.filter((p, i) => !unique.slice(0, i).some((q) => containsPrefix(q, p)));
}
