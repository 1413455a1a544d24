import type { KubernetesNode, KubernetesObjects, Stack } from "../../model/index.ts";

const shortName = (name: string): string => name.split(".")[0]!.toLowerCase();

/** An address of the Node object is on a device of the stack. */
const hasAddressOf = (stack: Stack, node: KubernetesNode): boolean =>
  stack.devices.items.some((d) => d.addresses.some((a) => node.addresses.some((b) => a.prefix.address === b)));

export const isNamed = (stack: Stack, node: KubernetesNode): boolean =>
  shortName(stack.name) === shortName(node.name) ||
  (stack.machine.hostname !== undefined && shortName(stack.machine.hostname) === shortName(node.name));

/** The object of this very node. */
export const isObjectOf = (stack: Stack, node: KubernetesNode): boolean =>
  isNamed(stack, node) || hasAddressOf(stack, node);

const knowsAddresses = (stack: Stack): boolean =>
  stack.devices.items.some((d) => d.kind !== "loopback" && d.addresses.some((a) => a.origin.kind !== "assumed"));

/**
 * Node objects of which no dump was given, where the objects say what kube-proxy would have written there. A dumped node that
 * neither its name nor its addresses identify may be any of them: then none is made up, but where only one is left, which it is.
 */
export function undumpedNodes(objects: KubernetesObjects, stacks: readonly Stack[]): readonly KubernetesNode[] {
  if (!objects.services.some((s) => s.form === "object")) return [];
  const dumped = stacks.filter((s) => s.kind === "node");
  const left = objects.nodes.filter(
    (n) => n.name !== "" && n.form === "object" && !dumped.some((s) => isObjectOf(s, n)),
  );
  const nameless = dumped.filter((s) => !objects.nodes.some((n) => isObjectOf(s, n)) && !knowsAddresses(s));
  return nameless.length > 0 ? [] : left;
}
