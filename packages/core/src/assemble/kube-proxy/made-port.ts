import { type Address, lowBitsOf } from "../../net/index.ts";

/** IFNAMSIZ with its last byte, which is zero. */
const LONGEST = 15;

/** What a pod's port on a node that nobody dumped starts with, where kube-proxy does not tell pods by it. */
export const PORT_PREFIX = "veth";

/** What it is called: after the pod, whichever others were shown. Undefined: that is longer than a kernel takes. */
export function madePort(prefix: string, pod: Address): string | undefined {
  const name = `${prefix}${lowBitsOf(pod).toString(16).padStart(8, "0")}`;
  return name.length > LONGEST ? undefined : name;
}
