import { derived, isOver, type KubernetesObjects, type Origin } from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";

/** A pod with all its addresses: of a dual-stack cluster one of each family. */
export interface LocalPod {
  readonly addresses: readonly Address[];
  readonly origin: Origin;
}

/** By node: the pods that Pod objects or endpoints place there, those that use the node's own address left out. */
export function podsByNode(objects: KubernetesObjects): ReadonlyMap<string, readonly LocalPod[]> {
  const hosts = new Set(objects.nodes.flatMap((n) => n.addresses.map(formatAddress)));
  const placed = new Map<string, { readonly known: Set<Address>; readonly pods: LocalPod[] }>();
  const add = (node: string | undefined, all: readonly Address[], origin: Origin): void => {
    if (node === undefined || all.some((a) => hosts.has(formatAddress(a)))) return;
    let at = placed.get(node);
    if (at === undefined) {
      at = { known: new Set(), pods: [] };
      placed.set(node, at);
    }
    const { known, pods } = at;
    const addresses = all.filter((a) => !known.has(a));
    if (addresses.length === 0) return;
    for (const a of addresses) known.add(a);
    pods.push({ addresses, origin });
  };
  for (const pod of objects.pods) {
    // An address of a pod that is over may be another's by now.
    if (pod.hostNetwork || isOver(pod)) continue;
    add(pod.nodeName, pod.addresses, derived("a Pod of this node", pod.origin));
  }
  for (const { endpoints } of objects.endpoints)
    for (const e of endpoints)
      for (const a of e.addresses) add(e.nodeName, [a], derived("an endpoint on this node", e.origin));
  return new Map([...placed].map(([node, { pods }]) => [node, pods]));
}
