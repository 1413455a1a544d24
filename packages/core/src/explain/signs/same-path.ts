import type { Route, Stack } from "../../model/index.ts";
import { type Address, contains } from "../../net/index.ts";
import type { Look } from "../sign.ts";
import { shownStacks } from "./claim.ts";

/** The route of a stack's tables that covers an address best, but for a default route. */
export const bestRoute = ({ routeTables }: Stack, address: Address): Route | undefined =>
  routeTables
    .flatMap((t) => t.routes)
    .filter((r) => r.type === "unicast" && r.destination.length > 0 && contains(r.destination, address))
    .sort((a, b) => b.destination.length - a.destination.length)[0];

/**
 * Whether an address lies where the asked flow goes: the same route leads to it and to where the flow ends. What was seen of its packets counts for
 * causes of the path, and for no other.
 */
export const isOnPath = (look: Look, address: Address): boolean => {
  const ends = [look.question.to, ...look.exploration.branches.map((b) => b.request.final.dst)];
  return shownStacks(look).some((stack) => {
    const route = bestRoute(stack, address);
    return route !== undefined && ends.some((end) => bestRoute(stack, end) === route);
  });
};
