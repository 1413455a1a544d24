import { isTunnel, type Route, type Stack, type World } from "../model/index.ts";
import { type Address, contains, familyOf, isHost, type Prefix } from "../net/index.ts";
import { type Home, homeOf } from "./home-of.ts";

/** A route to a node's pods that a node lacks, though pods are routed from node to node here. */
export interface MissingPeerRoute {
  readonly network: Prefix;
  /** The node whose pods they are, and its address beside the one that lacks the route. */
  readonly home: string;
  readonly via: Address;
  /** The route that is there of those that should be: whose it is, and whose pods it leads to. */
  readonly like: { readonly stack: string; readonly home: string; readonly route: Route };
}

/**
 * Where nodes send each other's pods straight to each other (host-gw), every node has a route to the pods of every other that is beside it. One that
 * is missing is a fault, whatever the default gateway makes of it. A cloud that routes pods in the network between the nodes puts no such route on
 * any of them; a node behind a router is that router's.
 */
export function missingPeerRoute(world: World, name: string, destination: Address): MissingPeerRoute | undefined {
  const stack = world.stacks.find((s) => s.name === name);
  const home = homeOf(world, destination);
  if (stack?.kind !== "node" || home === undefined || home.name === name) return undefined;
  const via = home.addresses.find((a) => familyOf(a) === familyOf(destination) && isBeside(stack, a));
  if (
    via === undefined ||
    routesOf(stack).some((r) => r.destination.length > 0 && contains(r.destination, destination))
  )
    return undefined;
  const nodes = world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined);
  // Its own table says most of how it is programmed.
  for (const s of [stack, ...nodes.filter((n) => n !== stack)])
    for (const route of routesOf(s)) {
      const peer = familyOf(route.destination.address) === familyOf(destination) ? peerOf(world, s, route) : undefined;
      if (peer !== undefined)
        return { network: home.network, home: home.name, via, like: { stack: s.name, home: peer.name, route } };
    }
  return undefined;
}

const routesOf = (stack: Stack): readonly Route[] => stack.routeTables.flatMap((t) => t.routes);

/** The node whose pods a route leads to by that node's own address, and through no tunnel. */
function peerOf(world: World, stack: Stack, { type, destination, nexthops }: Route): Home | undefined {
  const [hop, ...more] = nexthops;
  if (type !== "unicast" || destination.length === 0 || hop?.gateway === undefined || more.length > 0) return undefined;
  const device = stack.devices.items.find((d) => d.name === hop.device);
  if (device === undefined || isTunnel(device)) return undefined;
  const home = homeOf(world, destination.address);
  return home !== undefined && home.name !== stack.name && home.addresses.includes(hop.gateway) ? home : undefined;
}

/** On the network of one of its cards. */
const isBeside = (stack: Stack, address: Address): boolean =>
  stack.devices.items.some(
    (d) =>
      !isTunnel(d) &&
      d.kind !== "dummy" &&
      d.kind !== "loopback" &&
      d.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, address) && a.prefix.address !== address),
  );
