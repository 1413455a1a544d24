import {
  type Device,
  type Fact,
  type Nexthop,
  type Origin,
  type Route,
  type RoutingRule,
  TABLE_LOCAL,
} from "../../model/index.ts";
import { ANY6, formatAddress } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import { EVERYBODYS, type FlowKey, isAimed, ruleMatches, TYPE_ERRNO } from "../route/fib.ts";
import type { RouteError, RouteResult } from "../route/route-result.ts";
import { type CompiledFib6, fib6Of } from "./compiled-fib6.ts";
import { conf6Flag } from "./conf6.ts";
import { metricOf } from "./fib6-table.ts";

/** struct flowi6, and whether only routes of its device count (RT6_LOOKUP_F_IFACE). */
export interface Flow6 extends FlowKey {
  readonly onlyDevice: boolean;
}

/**
 * Follows fib6_rule_lookup() and __fib6_rule_action() (net/ipv6/fib6_rules.c): rules by preference; a table without an answer, or
 * with a `throw`, hands on to the next rule.
 */
export function fib6Lookup(kernel: Kernel, flow: Flow6): RouteResult | RouteError {
  const { stack, oracle } = kernel;
  const fib = fib6Of(stack);
  if (fib.tables.size === 0 && stack.assumed === undefined)
    throw new Undetermined(kernel.name, "route", { kind: "unknown-table", table: "main" });
  for (let i = 0; i < fib.rules.length; i++) {
    const rule = fib.rules[i]!;
    if (!ruleMatches(kernel, rule, flow)) continue;
    const { action } = rule;
    const error = (errno: RouteError["errno"]): RouteError => ({
      type: "error",
      errno,
      rule: rule.preference,
      origins: [rule.origin],
    });
    switch (action.kind) {
      case "lookup": {
        const found = tableLookup(kernel, fib, action.table, flow, rule);
        if (found !== undefined) return found;
        if (isAimed(rule) && !passedOver(kernel, fib, action.table)) return error("ENETUNREACH");
        break;
      }
      case "goto": {
        const target = fib.rules.findIndex((r, j) => j > i && r.preference >= action.target);
        if (target < 0) return error("ENETUNREACH");
        i = target - 1;
        break;
      }
      case "nop":
        break;
      case "unreachable":
        return error("ENETUNREACH");
      case "prohibit":
        return error("EACCES");
      case "blackhole":
        return error("EINVAL");
      case "unknown":
        throw new Undetermined(kernel.name, "route", { kind: "unknown-rule-action", action: action.text }, [
          rule.origin,
        ]);
    }
  }
  if (fib.cut.size > 0 && stack.assumed === undefined && stack.fromObjects !== true)
    oracle.rests({ kind: "routes", stack: stack.name, how: "cut" });
  return { type: "error", errno: "ENETUNREACH", origins: [] };
}

/** Whoever writes a rule for some packets has routes in its table: one without any was not shown, rather than empty. */
function passedOver({ stack, oracle }: Kernel, fib: CompiledFib6, table: number | string): boolean {
  const known = fib.tables.get(table);
  if (stack.assumed !== undefined || stack.fromObjects === true || (known !== undefined && known.size > 0)) return true;
  return oracle.rests({ kind: "route-table", stack: stack.name, table });
}

/** Follows fib6_table_lookup(): leaf by leaf up the tree until one has a route that fits. */
function tableLookup(
  kernel: Kernel,
  fib: CompiledFib6,
  id: number | string,
  flow: Flow6,
  rule: RoutingRule,
): RouteResult | RouteError | undefined {
  const table = fib.tables.get(id);
  if (fib.unread.has(id) && (table === undefined || table.size === 0))
    throw new Undetermined(kernel.name, "route", { kind: "unknown-table", table: id }, [rule.origin]);
  if (table === undefined) return undefined;
  for (const leaf of table.leaves(flow.daddr, flow.saddr ?? ANY6)) {
    const chosen = rt6Select(kernel, leaf, flow);
    if (chosen === undefined) continue;
    const { route } = chosen;
    if (route.type === "throw") return undefined;
    const origins = [rule.origin, route.origin];
    const errno = TYPE_ERRNO[route.type];
    if (errno !== undefined) return { type: "error", errno, table: id, rule: rule.preference, origins };
    if (rule.suppressPrefixLength !== undefined && route.destination.length <= rule.suppressPrefixLength)
      return undefined;
    if (!leadsThere(kernel, fib, id, route) || (id !== TABLE_LOCAL && !ruledRight(kernel)))
      return { type: "error", errno: "ENETUNREACH", table: id, origins: [rule.origin] };
    return resultOf(selectPath(kernel, chosen, leaf, flow), id, rule, origins);
  }
  return undefined;
}

interface Candidate {
  readonly route: Route;
  readonly nexthop: Nexthop;
  readonly device: Device;
}

/** Types that lead nowhere need no device. */
const isReject = (r: Route): boolean => TYPE_ERRNO[r.type] !== undefined || r.type === "throw";

/**
 * Follows rt6_select() and find_rr_leaf(): of the lowest metric the best score, and only if none there fits the best of the rest. The
 * score prefers routes of the flow's device, and then by router preference (rt6_score_route()).
 */
function rt6Select(kernel: Kernel, leaf: readonly Route[], flow: Flow6): Candidate | undefined {
  const lowest = metricOf(leaf[0]!);
  return (
    best(
      kernel,
      leaf.filter((r) => metricOf(r) === lowest),
      flow,
    ) ??
    best(
      kernel,
      leaf.filter((r) => metricOf(r) !== lowest),
      flow,
    )
  );
}

function best(kernel: Kernel, routes: readonly Route[], flow: Flow6): Candidate | undefined {
  let found: Candidate | undefined;
  let highest = -1;
  for (const route of routes) {
    for (const candidate of candidatesOf(kernel, route)) {
      const score = scoreOf(candidate, flow);
      if (score <= highest) continue;
      highest = score;
      found = candidate;
    }
  }
  return found;
}

function candidatesOf(kernel: Kernel, route: Route): readonly Candidate[] {
  if (isReject(route)) {
    const device = kernel.device(route.nexthops[0]?.device ?? "lo") ?? kernel.stack.devices.items[0];
    return device === undefined ? [] : [{ route, device, nexthop: { device: device.name, weight: 1, flags: [] } }];
  }
  return route.nexthops.flatMap((nexthop) => {
    if (nexthop.flags.includes("dead") || nexthop.device === undefined) return [];
    const device = kernel.device(nexthop.device);
    if (device === undefined)
      throw new Undetermined(kernel.name, "route", { kind: "unknown-route-device", device: nexthop.device }, [
        route.origin,
      ]);
    const own = route.type === "local" || route.type === "anycast";
    if (!own && device.up === false) return [];
    const linkdown = device.carrier === false || nexthop.flags.includes("linkdown");
    if (!own && linkdown && conf6Flag(kernel, "ignore_routes_with_linkdown", device.name)) return [];
    return [{ route, nexthop, device }];
  });
}

/** rt6_score_route(); on input the device asked for is the one the packet came in by. */
function scoreOf({ route, device }: Candidate, flow: Flow6): number {
  const wanted = flow.oif ?? (flow.iif === "lo" ? undefined : flow.iif);
  const fits = wanted === undefined || device.name === wanted;
  if (!fits && flow.onlyDevice) return -1;
  const preference = route.extra.includes("pref high") ? 3 : route.extra.includes("pref low") ? 1 : 2;
  return (fits ? 2 : 0) | (preference << 2);
}

/**
 * fib6_select_path(): a hash decides between the nexthops of one route. Of what is forwarded it has the flow label, which clients draw for
 * every connection; of what the stack sends itself only the addresses: one destination has one way, unknown to us.
 */
function selectPath(kernel: Kernel, chosen: Candidate, leaf: readonly Route[], flow: Flow6): Candidate {
  const paths = siblings(chosen.route, leaf)
    .flatMap((route) => candidatesOf(kernel, route))
    .filter((c) => scoreOf(c, flow) >= 0);
  if (paths.length < 2) return chosen;
  const total = paths.reduce((sum, c) => sum + c.nexthop.weight, 0);
  const options = paths.map((c) => ({
    label: `nexthop ${c.device.name}`,
    share: c.nexthop.weight / total,
  }));
  if (flow.iif === "lo") {
    const fact: Fact = {
      kind: "multipath",
      stack: kernel.name,
      iif: "lo",
      source: flow.saddr ?? ANY6,
      destination: flow.daddr,
    };
    const labels = paths.map((c) => `${c.device.name}/${formatAddress(c.nexthop.gateway ?? flow.daddr)}`);
    return paths[Math.max(0, labels.indexOf(kernel.oracle.fact(fact, labels)))]!;
  }
  const { origin } = chosen.route;
  const where = origin.kind === "read" ? `${origin.file}:${origin.line}` : String(chosen.route.table);
  return paths[kernel.oracle.chance(`${kernel.name}/multipath6/${where}`, options)]!;
}

/** rt6_qualify_for_ecmp(): routes by a gateway of equal metric are one multipath route, but for those of router advertisements. */
function siblings(chosen: Route, leaf: readonly Route[]): readonly Route[] {
  const qualifies = (r: Route): boolean =>
    r.type === "unicast" && r.protocol !== "ra" && r.nexthops.every((n) => n.gateway !== undefined);
  if (!qualifies(chosen)) return [chosen];
  return leaf.filter((r) => r === chosen || (qualifies(r) && metricOf(r) === metricOf(chosen)));
}

function resultOf(
  { route, nexthop, device }: Candidate,
  table: number | string,
  rule: RoutingRule,
  origins: readonly Origin[],
): RouteResult {
  const own = route.type === "local" || route.type === "anycast";
  return {
    type: own ? "local" : route.type === "multicast" ? "multicast" : "unicast",
    device,
    ...(nexthop.gateway !== undefined && { gateway: nexthop.gateway }),
    ...(route.prefSrc !== undefined && { source: route.prefSrc }),
    table,
    rule: rule.preference,
    ...(route.mtu !== undefined && { mtu: route.mtu }),
    ...(route.type === "anycast" && { anycast: true as const }),
    route,
    origins,
  };
}

/** A default route stands for whatever was cut from its table, or was made up: a better one may be among what nobody showed. */
function leadsThere({ stack, oracle }: Kernel, fib: CompiledFib6, id: number | string, route: Route): boolean {
  if (stack.assumed !== undefined || stack.fromObjects === true) return true;
  const guessed =
    route.origin.kind === "assumed" ||
    (route.destination.length === 0 && fib.cut.has(id)) ||
    (route.destination.length < 128 && fib.unshown.has(id));
  if (!guessed) return true;
  return oracle.rests({ kind: "routes", stack: stack.name, how: fib.unshown.has(id) ? "unshown" : "cut" });
}

/** Where a stack has tables beyond those every kernel has, some rule looks them up. */
function ruledRight({ stack, oracle }: Kernel): boolean {
  if (stack.routingRules.items.some((r) => r.family === 6) || stack.assumed !== undefined || stack.fromObjects === true)
    return true;
  const own = stack.routeTables.some((t) => t.family === 6 && t.routes.length > 0 && !EVERYBODYS.includes(t.id));
  return !own || oracle.rests({ kind: "routing-rules", stack: stack.name });
}
