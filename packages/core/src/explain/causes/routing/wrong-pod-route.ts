import { text } from "../../../messages/index.ts";
import type { Nexthop, Route, RouteStep, Stack, World } from "../../../model/index.ts";
import { type Address, contains, formatAddress, formatPrefix, isHost } from "../../../net/index.ts";
import { hostedBy } from "../../../trace/index.ts";
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

/** The address is one of its own ports', as for a pod that was here: objects place it on another node that was shown. */
function ownPort(world: World, step: RouteStep): Finding | undefined {
  const stack = stackOf(world, step.stack);
  const { dst } = step.packet;
  const host = hostedBy(world, dst);
  if (stack?.kind !== "node" || host === undefined || host === stack.name) return undefined;
  if (!world.stacks.some((s) => s.kind === "node" && s.assumed === undefined && s.name === host)) return undefined;
  const route = stack.routeTables
    .flatMap((t) => t.routes)
    .find((r) => step.origins.includes(r.origin) && isHost(r.destination) && r.destination.address === dst);
  const [hop] = route?.nexthops ?? [];
  if (route === undefined || hop?.device === undefined || hop.gateway !== undefined) return undefined;
  const address = formatAddress(dst);
  return {
    code: "WRONG_POD_ROUTE",
    summary: text("cause.wrong_pod_route.port", { stack: stack.name, address, device: hop.device, node: host }),
    stack: stack.name,
    evidence: [route.origin],
    without: [on(stack.name, argv`ip route del ${formatPrefix(route.destination)} dev ${hop.device}`)],
    needsProof: true,
    root: true,
  };
}

/** A stale route: for the node's own pods, to a node whose pods they are not, or to a port for a pod that is elsewhere. Claimed only if the flow works without it. */
export const wrongPodRoute: Cause = {
  codes: ["WRONG_POD_ROUTE"],
  detect: ({ branch, world }) =>
    [branch.request, branch.reply].flatMap((leg) =>
      stepsOf(leg, "route").flatMap((step) => {
        if (step.result !== "unicast") return [];
        const taken = takenOf(world, step);
        const found =
          taken === undefined ? ownPort(world, step) : (ownNetwork(taken) ?? otherNode(world, taken, step.packet.dst));
        return found === undefined ? [] : [found];
      }),
    ),
};
