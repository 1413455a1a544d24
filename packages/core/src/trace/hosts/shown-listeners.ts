import { type Listeners, unread, type World } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";

/** Who listens in a pod of which an object tells the address, and somebody showed the sockets and nothing else. */
export function shownListeners({ kubernetes, podListeners }: World, address: Address): Listeners {
  const pod =
    podListeners === undefined
      ? undefined
      : kubernetes.pods.find((p) => !p.hostNetwork && p.addresses.some((a) => a === address));
  if (pod === undefined || podListeners === undefined) return unread;
  // As `kubectl exec POD` or `-n NS exec POD` names it.
  const names = [`${pod.namespace}/${pod.name}`, `pod:${pod.namespace}/${pod.name}`, `pod:${pod.name}`];
  return names.map((n) => podListeners.get(n)).find((l) => l !== undefined) ?? unread;
}
