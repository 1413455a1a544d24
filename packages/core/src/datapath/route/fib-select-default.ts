import type { Route } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { FlowKey } from "./fib.ts";
import { isValidState, neighbourState } from "./neighbour-state.ts";
import type { RouteResult } from "./route-result.ts";

/** A default route by a gateway, one way only: what dead gateways are looked for among. */
const isDefault = ({ type, destination, nexthops }: Route): boolean =>
  type === "unicast" && destination.length === 0 && nexthops.length === 1 && nexthops[0]!.gateway !== undefined;

/**
 * Which of several default routes of one metric a stack's own packets take: one whose gateway is not known to be dead. Follows
 * fib_select_default() and fib_detect_death() (net/ipv4/fib_semantics.c). A gateway that is not sure (STALE) is left for the next at
 * each further look-up.
 */
export function fibSelectDefault(kernel: Kernel, key: Omit<FlowKey, "iif">, found: RouteResult): Route | undefined {
  const { route, table } = found;
  if (route === undefined || key.oif !== undefined || !isDefault(route)) return undefined;
  const all = kernel.compiled.tables.get(table)?.candidates(key.daddr) ?? [];
  const equals = all.filter(
    (r) => isDefault(r) && (r.metric ?? 0) === (route.metric ?? 0) && (r.tos ?? 0) === (route.tos ?? 0),
  );
  if (equals.length < 2 || equals[0] !== route) return undefined;
  const memory = `default/${table}/${route.metric ?? 0}`;
  const before = (kernel.scratch.get(memory) as number | undefined) ?? -1;
  let lastResort = -1;
  const chosen = equals.findIndex((r, order) => {
    const { gateway, device } = r.nexthops[0]!;
    const out = device === undefined ? undefined : kernel.device(device);
    const state = out === undefined ? undefined : neighbourState(kernel, out, gateway!);
    if (state === undefined || state === "REACHABLE") return true;
    const valid = isValidState(state);
    if (valid && order !== before) return true;
    if (valid || (lastResort < 0 && order > before && state !== "INCOMPLETE")) lastResort = order;
    return false;
  });
  const taken = chosen >= 0 ? chosen : lastResort;
  kernel.scratch.set(memory, taken);
  return equals[taken];
}
