import { text } from "../../messages/index.ts";
import { formatAddress } from "../../net/index.ts";
import { type Cause, stackOf, stepsOf } from "../cause.ts";

const REFUSING: ReadonlySet<string> = new Set(["blackhole", "unreachable", "prohibit"]);

/** Routing has no way, or a route that says so. */
export const noRoute: Cause = {
  codes: ["NO_ROUTE", "BLACKHOLE_ROUTE"],
  detect: ({ leg, world }) => {
    if (leg.drop !== "IP_INNOROUTES" && leg.drop !== "IP_OUTNOROUTES") return [];
    const failed = stepsOf(leg, "route").find((s) => s.result === "error");
    if (failed === undefined) return [];
    const routes = stackOf(world, leg.stack)?.routeTables.flatMap((t) => t.routes) ?? [];
    const refusing = routes.find((r) => failed.origins.includes(r.origin) && REFUSING.has(r.type));
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
            ...common,
          },
    ];
  },
};
