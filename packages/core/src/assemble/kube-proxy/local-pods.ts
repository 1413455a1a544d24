import { derived, isOver, type KubernetesObjects, type Origin } from "../../model/index.ts";
import { type Address, formatAddress, type Ipv4, isIpv4 } from "../../net/index.ts";

export interface LocalPod {
  readonly address: Ipv4;
  readonly origin: Origin;
}

/** By node: the pods that Pod objects or endpoints place there, those that use the node's own address left out. */
export function podsByNode(objects: KubernetesObjects): ReadonlyMap<string, readonly LocalPod[]> {
  const hosts = new Set(objects.nodes.flatMap((n) => n.addresses.map(formatAddress)));
  const by = new Map<string, Map<Ipv4, LocalPod>>();
  const add = (node: string | undefined, address: Address, origin: Origin): void => {
    if (node === undefined || !isIpv4(address) || hosts.has(formatAddress(address))) return;
    let pods = by.get(node);
    if (pods === undefined) {
      pods = new Map();
      by.set(node, pods);
    }
    if (!pods.has(address)) pods.set(address, { address, origin });
  };
  for (const pod of objects.pods) {
    // An address of a pod that is over may be another's by now.
    if (pod.hostNetwork || isOver(pod)) continue;
    for (const a of pod.addresses) add(pod.nodeName, a, derived("a Pod of this node", pod.origin));
  }
  for (const { endpoints } of objects.endpoints)
    for (const e of endpoints)
      for (const a of e.addresses) add(e.nodeName, a, derived("an endpoint on this node", e.origin));
  return new Map([...by].map(([node, pods]) => [node, [...pods.values()]]));
}
