import { isOwnBlock } from "../../../explain/own-block.ts";
import { text } from "../../../messages/index.ts";
import { formatPrefix } from "../../../net/index.ts";
import { routeCommand } from "../../../parse/iproute2/command/to-commands.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, stepsOf } from "../../scene.ts";

const REFUSING: ReadonlySet<string> = new Set(["blackhole", "unreachable", "prohibit"]);

/** The route that refuses goes, and the next best takes its place. */
export const routeRemove: Remedy = {
  code: "ROUTE_REMOVE",
  cures: ["BLACKHOLE_ROUTE"],
  propose: ({ leg, stack }) => {
    const failed = stepsOf(leg, "route").find((s) => s.result === "error" && s.stack === leg.stack);
    const route = stack?.routeTables
      .flatMap((t) => t.routes)
      .find((r) => failed?.origins.includes(r.origin) === true && REFUSING.has(r.type));
    if (!isOurs(stack) || route === undefined || isOwnBlock(stack, route)) return [];
    const words = routeCommand(route, "add").map((w, i, all) => (w === "add" && all[i - 1] === "route" ? "del" : w));
    return [
      {
        code: "ROUTE_REMOVE",
        summary: text("fix.route_remove", {
          type: route.type,
          network: formatPrefix(route.destination),
          stack: stack.name,
        }),
        commands: [command(stack.name, ["ip", ...words])],
      },
    ];
  },
};
