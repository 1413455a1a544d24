import { text } from "../../../messages/index.ts";
import type { Nexthop, Route, RouteStep, Stack, World } from "../../../model/index.ts";
import { type Address, contains, formatAddress, formatPrefix } from "../../../net/index.ts";
import { argv, type Cause, type Finding, on, stackOf, stepsOf } from "../../cause.ts";
import { homeOf } from "../../home-of.ts";

interface Taken {
  readonly stack: Stack;
  readonly route: Route;
  readonly hop: Nexthop & { readonly gateway: Address };
  /** The other routes of its table. */
  readonly others: readonly Route[];
}

const sameNetwork = (a: Route, b: Route): boolean =>
  a.destination.length === b.destination.length && a.destination.address === b.destination.address;

/** The route by which a packet was sent to another machine. */
function takenOf(world: World, step: RouteStep): Taken | undefined {
  const stack = stackOf(world, step.stack);
  for (const table of stack?.routeTables ?? []) {
    const route = table.routes.find((r) => step.origins.includes(r.origin) && r.destination.length > 0);
    const hop = route?.nexthops.find((h) => h.gateway !== undefined);
    if (stack === undefined || route === undefined || hop?.gateway === undefined) continue;
    return { stack, route, hop: { ...hop, gateway: hop.gateway }, others: table.routes.filter((r) => r !== route) };
  }
  return undefined;
}

/** The same network stands in the table twice, and it is this node's own. */
function ownNetwork({ stack, route, hop, others }: Taken): Finding | undefined {
  const own = others.find((r) => sameNetwork(r, route) && r.nexthops.some((h) => h.gateway === undefined));
  if (own === undefined) return undefined;
  const network = formatPrefix(route.destination);
  const gateway = formatAddress(hop.gateway);
  const device = hop.device === undefined ? [] : ["dev", hop.device];
  return {
    code: "WRONG_POD_ROUTE",
    summary: text("cause.wrong_pod_route.own", { stack: stack.name, network, gateway }),
    stack: stack.name,
    evidence: [route.origin, own.origin],
    without: [on(stack.name, [...argv`ip route del ${network} via ${gateway}`, ...device])],
    needsProof: true,
    root: true,
  };
}

/** The network is the pods' of one node, and the route names another. */
function otherNode(world: World, { stack, route, hop }: Taken, to: Address): Finding | undefined {
  const home = homeOf(world, to);
  const gateway = formatAddress(hop.gateway);
  if (home === undefined || home.name === stack.name || home.addresses.some((a) => a === hop.gateway)) return undefined;
  const next = home.addresses.find((a) => onLink(stack, hop.device, a));
  const network = formatPrefix(route.destination);
  const device = hop.device === undefined ? [] : ["dev", hop.device];
  return {
    code: "WRONG_POD_ROUTE",
    summary: text("cause.wrong_pod_route.other", { stack: stack.name, network, gateway, node: home.name }),
    stack: stack.name,
    evidence: [route.origin],
    ...(next !== undefined && {
      without: [on(stack.name, [...argv`ip route replace ${network} via ${formatAddress(next)}`, ...device])],
    }),
    needsProof: true,
    root: true,
  };
}

const onLink = (stack: Stack, device: string | undefined, address: Address): boolean =>
  stack.devices.items.some((d) => d.name === device && d.addresses.some((a) => contains(a.prefix, address)));

/** A stale route: for the node's own pods, or to a node whose pods they are not. Claimed only if the flow works without it. */
export const wrongPodRoute: Cause = {
  codes: ["WRONG_POD_ROUTE"],
  detect: ({ branch, world }) =>
    [branch.request, branch.reply].flatMap((leg) =>
      stepsOf(leg, "route").flatMap((step) => {
        const taken = step.result === "unicast" ? takenOf(world, step) : undefined;
        if (taken === undefined) return [];
        const found = ownNetwork(taken) ?? otherNode(world, taken, step.packet.dst);
        return found === undefined ? [] : [found];
      }),
    ),
};
