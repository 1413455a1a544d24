import { text } from "../../../messages/index.ts";
import type { Origin } from "../../../model/index.ts";
import { isLoopback } from "../../../net/index.ts";
import type { Leg } from "../../../trace/index.ts";
import { argv, type Cause, on, type Scene, wayOf } from "../../cause.ts";

const KEY = "route_localnet";

/**
 * The device by which a packet from 127/8 was to leave after nat OUTPUT gave it another destination: routing again fails there unless
 * route_localnet is set (`__mkroute_output()`).
 */
export function refusedLocalnet(leg: Leg, stack: Scene["stack"]): string | undefined {
  const { decision, final, origins } = leg;
  if (decision.kind !== "reroute-failed" || decision.errno !== "EINVAL" || !isLoopback(final.src)) return undefined;
  const route = stack?.routeTables.flatMap((t) => t.routes).find((r) => origins.includes(r.origin));
  return route?.type === "unicast" ? route.nexthops[0]?.device : undefined;
}

/** Called by 127.0.0.1, a NodePort is translated to somebody behind a device that does not take 127/8 as a source. */
export const routeLocalnet: Cause = {
  codes: ["ROUTE_LOCALNET"],
  detect: (scene) => {
    const { leg, stack } = scene;
    const device = refusedLocalnet(leg, stack);
    if (device === undefined) return [];
    const shown = ["all", device].flatMap((name): readonly Origin[] => {
      const entry = stack?.sysctls.get(`net.ipv4.conf.${name}.${KEY}`);
      return entry === undefined ? [] : [entry.origin];
    });
    return [
      {
        code: "ROUTE_LOCALNET",
        summary: text("cause.route_localnet", { stack: leg.stack, direction: wayOf(scene), device }),
        stack: leg.stack,
        evidence: [...shown, ...leg.origins],
        without: [on(leg.stack, argv`sysctl -w net.ipv4.conf.${device}.${KEY}=1`)],
        root: true,
      },
    ];
  },
};
