import { BALANCER_SETS, type Origin, type Packet, plainSetName, type World } from "../../model/index.ts";

/**
 * Nodes whose sets call the packet's destination a load balancer's address: they are its targets, and that is all that is known
 * of it.
 */
export function balancedTo(world: World, { dst, dport, protocol }: Packet): ReadonlyMap<string, Origin> {
  const nodes = new Map<string, Origin>();
  for (const stack of world.stacks) {
    if (stack.kind !== "node" || stack.fromObjects === true) continue;
    for (const set of stack.ipsets.items) {
      if (!BALANCER_SETS.has(plainSetName(set.name))) continue;
      const entry = set.entries.find(({ parts: [ip, port], nomatch }) => {
        if (nomatch || ip?.kind !== "address" || ip.from !== dst || port?.kind !== "port") return false;
        return port.protocol === protocol && typeof dport === "number" && port.from <= dport && dport <= port.to;
      });
      if (entry !== undefined) nodes.set(stack.name, entry.origin);
    }
  }
  return nodes;
}
