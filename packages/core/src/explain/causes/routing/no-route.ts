import { text } from "../../../messages/index.ts";
import type { Device, Route, Stack, World } from "../../../model/index.ts";
import { type Address, contains, formatAddress, formatPrefix, isLoopback } from "../../../net/index.ts";
import type { Leg } from "../../../trace/index.ts";
import { argv, type Cause, type Finding, on, stackOf, stepsOf } from "../../cause.ts";
import { isOwnBlock } from "../../own-block.ts";
import { missingPeerRoute } from "../../peer-route.ts";

const REFUSING: ReadonlySet<string> = new Set(["blackhole", "unreachable", "prohibit"]);

/** The route that would have served, had its device been up. */
function deadRoute(
  stack: Stack | undefined,
  to: Address,
): { readonly route: Route; readonly device: Device } | undefined {
  const matching = (stack?.routeTables ?? [])
    .flatMap((t) => t.routes)
    .filter((r) => r.type === "unicast" && contains(r.destination, to))
    .sort((a, b) => b.destination.length - a.destination.length);
  for (const route of matching) {
    const device = stack?.devices.items.find((d) => d.up === false && route.nexthops.some((h) => h.device === d.name));
    if (device !== undefined) return { route, device };
  }
  return undefined;
}

const linkDown = (stack: string, { route, device }: { readonly route: Route; readonly device: Device }): Finding => ({
  code: "LINK_DOWN",
  summary: text("cause.link_down.route", { device: device.name, stack, network: formatPrefix(route.destination) }),
  stack,
  evidence: [device.origin, route.origin],
  without: [on(stack, argv`ip link set dev ${device.name} up`)],
  root: true,
});

/** A gateway that passes nothing on got it for want of the route that leads to other nodes' pods. */
function atGateway({ decision, final, origins, stack }: Leg, world: World): readonly Finding[] {
  const missing = missingPeerRoute(world, stack, final.dst);
  if (missing === undefined || decision.kind !== "fabric-gateway-drops") return [];
  const { network, via, like } = missing;
  return [
    {
      code: "NO_ROUTE",
      summary: text("cause.no_route.unlike-peers", {
        stack,
        network: formatPrefix(network),
        node: missing.home,
        gateway: formatAddress(decision.gateway),
        by: like.stack,
        other: like.home,
      }),
      stack,
      evidence: [...origins, like.route.origin],
      without: [on(stack, argv`ip route add ${formatPrefix(network)} via ${formatAddress(via)}`)],
      root: true,
    },
  ];
}

/** Routing has no way, or a route that says so. */
export const noRoute: Cause = {
  codes: ["NO_ROUTE", "BLACKHOLE_ROUTE", "LINK_DOWN"],
  detect: ({ leg, world }) => {
    if (leg.drop === "GATEWAY_DROPS") return atGateway(leg, world);
    // ip_route_me_harder(): what nat gave another destination is routed again, and may find no way either.
    const again = leg.decision.kind === "reroute-failed" && !isLoopback(leg.final.src);
    if (leg.drop !== "IP_INNOROUTES" && leg.drop !== "IP_OUTNOROUTES" && !again) return [];
    const failed = stepsOf(leg, "route").find((s) => s.result === "error");
    const stack = stackOf(world, leg.stack);
    if (failed === undefined || stack === undefined) return [];
    const refusing = stack.routeTables
      .flatMap((t) => t.routes)
      .find((r) => failed.origins.includes(r.origin) && REFUSING.has(r.type));
    const dead = refusing === undefined ? deadRoute(stack, leg.final.dst) : undefined;
    if (dead !== undefined) return [linkDown(leg.stack, dead)];
    const at = { stack: leg.stack, address: formatAddress(leg.final.dst) };
    const common = { stack: leg.stack, evidence: leg.origins, root: true };
    return [
      refusing === undefined
        ? {
            code: "NO_ROUTE",
            summary: text("cause.no_route", { ...at, error: failed.error ?? "ENETUNREACH" }),
            ...common,
          }
        : {
            code: "BLACKHOLE_ROUTE",
            summary: text("cause.blackhole_route", { ...at, type: refusing.type }),
            ...(!isOwnBlock(stack, refusing) && {
              without: [on(leg.stack, argv`ip route del ${refusing.type} ${formatPrefix(refusing.destination)}`)],
            }),
            ...common,
          },
    ];
  },
};
