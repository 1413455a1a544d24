import type { Route, Stack } from "../model/index.ts";
import { contains } from "../net/index.ts";

/** As Calico's BIRD and Felix mark what they write. */
const OF_CALICO: ReadonlySet<string> = new Set(["bird", "80"]);

/**
 * Whether a refusing route is that of the node's own block of pods, with a route for each pod inside it, or is marked as Calico's. It is there for
 * addresses that no pod has any more: without it nobody has them either.
 */
export const isOwnBlock = (stack: Stack, refusing: Route): boolean =>
  (refusing.type === "blackhole" && OF_CALICO.has(refusing.protocol ?? "")) ||
  stack.routeTables.some((t) =>
    t.routes.some(
      (r) =>
        r.type === "unicast" &&
        r.destination.length > refusing.destination.length &&
        contains(refusing.destination, r.destination.address) &&
        r.nexthops.some((h) => h.gateway === undefined && h.device !== undefined),
    ),
  );
