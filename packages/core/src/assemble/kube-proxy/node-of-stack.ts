import { KUBE_IPVS0, type KubernetesNode, type KubernetesObjects, type Stack } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import { isNamed, isObjectOf } from "./undumped.ts";

/**
 * The Node object of a dumped node: by its name, else by its addresses, else the only one there is. Where none was given, what the
 * dumps themselves show stands in its place.
 */
export function nodeOfStack(stack: Stack, { nodes }: KubernetesObjects): KubernetesNode {
  const objects = nodes.filter((n) => n.form === "object" && n.name !== "");
  const own = objects.find((n) => isNamed(stack, n)) ?? objects.find((n) => isObjectOf(stack, n));
  if (own !== undefined) return own;
  const addresses = stack.devices.items
    .filter((d) => d.kind !== "loopback" && d.kind !== "dummy" && d.name !== KUBE_IPVS0)
    .flatMap((d) => d.addresses.filter((a) => a.scope === "global" && a.origin.kind !== "assumed"))
    .map((a) => a.prefix.address);
  const first = addresses.find(isIpv4);
  return {
    name: stack.machine.hostname ?? stack.name,
    addresses: first === undefined ? addresses.slice(0, 1) : [first],
    podCidrs: [],
    form: "row",
    origin: stack.origin,
  };
}
