import type { World } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import { isObserved } from "./absent.ts";
import { isTunnelPeer, knowledgeOf, routersTo } from "./known-hosts.ts";
import { leadsByPort } from "./owners.ts";

/** What all stacks together know of an address beside whose it is: a walk asks any of them, whether or not it comes by there. */
export interface Acquaintance {
  readonly text: string;
  /** The node that alone has a route of its own to it. */
  readonly router: string | undefined;
}

export function acquaintanceOf(world: World, address: Address): Acquaintance {
  const [first, second] = routersTo(world, address);
  const routers = first === undefined ? "none" : second === undefined ? "one" : "more";
  const known = `${knowledgeOf(world, address) ?? "-"} ${isObserved(world, address)} ${isTunnelPeer(world, address)}`;
  return { text: `${known} ${routers} ${countOf(world, address)}`, router: second === undefined ? first : undefined };
}

/** How many nodes have a port of their own for it: none, one, or more. */
function countOf({ stacks }: World, address: Address): number {
  let count = 0;
  for (const s of stacks) if (s.assumed === undefined && leadsByPort(s, address) && ++count === 2) break;
  return count;
}
