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
  const dumped = stacks.filter((s) => s.kind === "node");
  if (dumped.length === 0) return nodesOfTables(objects);
  if (!objects.services.some((s) => s.form === "object")) return [];
  const left = objects.nodes.filter(
    (n) => n.name !== "" && n.form === "object" && !dumped.some((s) => isObjectOf(s, n)),
  );
  const nameless = dumped.filter((s) => !objects.nodes.some((n) => isObjectOf(s, n)) && !knowsAddresses(s));
  return nameless.length > 0 ? [] : left;
}

/** Where no node was dumped at all, rows of tables are what there is, and the column NODE names who runs the pods. */
function nodesOfTables({ services, endpoints, nodes, pods }: KubernetesObjects): readonly KubernetesNode[] {
  const whole = services.some((s) => s.form === "object");
  const listed = nodes.filter((n) => n.name !== "" && (n.form === "object" || !whole));
  if (whole && listed.length > 0) return listed;
  if (services.length === 0 || endpoints.length === 0) return [];
  const known = new Set(listed.map((n) => n.name));
  const byPods = new Map<string, KubernetesNode>();
  for (const { nodeName, origin } of pods)
    if (nodeName !== undefined && !known.has(nodeName) && !byPods.has(nodeName))
      byPods.set(nodeName, { name: nodeName, addresses: [], podCidrs: [], form: "row", origin });
  return [...listed, ...byPods.values()];
}
