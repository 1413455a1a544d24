import { text } from "../../messages/index.ts";
import { shellWords } from "../../parse/shell-words.ts";
import { command } from "../commands.ts";
import type { Candidate, Remedy } from "../fix.ts";
import { isOurs, stackOf } from "../scene.ts";

/** The wrong one of two routes goes, or the route is led to the node that has the pods. */
export const routeCorrect: Remedy = {
  code: "ROUTE_CORRECT",
  cures: ["WRONG_POD_ROUTE"],
  propose: ({ findings, world }) =>
    findings
      .filter((f) => f.code === "WRONG_POD_ROUTE")
      .flatMap(({ stack: name, without = [] }): Candidate[] => {
        const stack = stackOf(world, name);
        const words = without.map((line) => shellWords(line.slice(name.length + 1)));
        if (!isOurs(stack) || words.length === 0 || words.some((w) => w.some((word) => word.operator))) return [];
        const commands = words.map((w) =>
          command(
            name,
            w.map((word) => word.text),
          ),
        );
        return [{ code: "ROUTE_CORRECT", summary: text("fix.route_correct", { stack: name }), commands }];
      }),
};
