import { type Route, type RouteTable, type Stack, TABLE_LOCAL } from "../../model/index.ts";
import { containsPrefix, isHost, type Prefix } from "../../net/index.ts";

/**
 * A node's routes without those that any two nodes have otherwise: to its own addresses, networks and pods, and to the pods of the
 * other. What is left (the way out, routes somebody added) should be alike.
 */
export function withoutOwnRoutes(node: Stack, other: Stack): Stack {
  const theirs = ownNetworks(other);
  const routeTables = node.routeTables
    .filter((t) => t.id !== TABLE_LOCAL && t.id !== "local")
    .map((t): RouteTable => ({ ...t, routes: t.routes.filter((r) => !isOwn(r) && !leadsTo(r, theirs)).map(plain) }));
  return { ...node, routeTables };
}

/** The preferred source is the node's own address, whichever that is. */
const plain = ({ prefSrc: _, ...route }: Route): Route => route;

const isOwn = (r: Route): boolean => r.nexthops.every((h) => h.gateway === undefined) && r.destination.length > 0;

/** A pod network of the other node: that one has it by a device, or hands out its addresses one by one. */
function leadsTo(r: Route, theirs: readonly Prefix[]): boolean {
  if (r.destination.length === 0) return false;
  return theirs.some((network) => containsPrefix(r.destination, network));
}

function ownNetworks(node: Stack): readonly Prefix[] {
  const routes = node.routeTables.flatMap((t) => (t.id === TABLE_LOCAL ? [] : t.routes));
  return routes.filter((r) => isOwn(r) && (isHost(r.destination) || r.nexthops.length > 0)).map((r) => r.destination);
}
