import type { Stack, World } from "../../model/index.ts";

/** Nodes at which an outside packet may arrive: those that were dumped, else those that objects tell of. */
export function entryNodes(world: World): readonly Stack[] {
  const nodes = world.stacks.filter((s) => s.kind === "node");
  const dumped = nodes.filter((s) => s.fromObjects !== true);
  return dumped.length > 0 ? dumped : nodes;
}

/** The node a question without --node is about: the only one, or the only one that was dumped. */
export function onlyNode(world: World): Stack | undefined {
  const nodes = entryNodes(world);
  return nodes.length === 1 ? nodes[0] : undefined;
}
