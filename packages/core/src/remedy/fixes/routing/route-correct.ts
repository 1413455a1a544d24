import { text } from "../../../messages/index.ts";
import { command } from "../../commands.ts";
import type { Candidate, Remedy } from "../../fix.ts";
import { isOurs, stackOf } from "../../scene.ts";

/** The wrong one of two routes goes, or the route is led to the node that has the pods. */
export const routeCorrect: Remedy = {
  code: "ROUTE_CORRECT",
  cures: ["WRONG_POD_ROUTE"],
  propose: ({ findings, world }) =>
    findings
      .filter((f) => f.code === "WRONG_POD_ROUTE")
      .flatMap(({ stack: name, without = [] }): Candidate[] => {
        const stack = stackOf(world, name);
        if (!isOurs(stack) || without.length === 0) return [];
        const commands = without.map(({ words }) => command(name, words));
        return [{ code: "ROUTE_CORRECT", summary: text("fix.route_correct", { stack: name }), commands }];
      }),
};
