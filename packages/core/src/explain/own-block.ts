import type { Route, Stack } from "../model/index.ts";
import { contains } from "../net/index.ts";

/**
 * Whether a refusing route is that of the node's own block of pods, with a route for each pod inside it (Calico). It is there for addresses
 * that no pod has any more: without it nobody has them either.
 */
export const isOwnBlock = (stack: Stack, refusing: Route): boolean =>
  stack.routeTables.some((t) =>
    t.routes.some(
      (r) =>
        r.type === "unicast" &&
        r.destination.length > refusing.destination.length &&
        contains(refusing.destination, r.destination.address) &&
        r.nexthops.some((h) => h.gateway === undefined && h.device !== undefined),
    ),
  );
