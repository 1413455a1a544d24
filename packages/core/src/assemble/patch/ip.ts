import { type Device, type Route, type RouteTable, type Stack, TABLE_LOCAL } from "../../model/index.ts";
import { type Address, contains, type Family, familyOf, formatAddress, isIpv4, isLinkLocal } from "../../net/index.ts";
import {
  type Applied,
  applyAddress,
  applyLink,
  applyNeighbour,
  applyRule,
  applyToTables,
} from "../../parse/iproute2/apply/apply.ts";
import type { IpCommand } from "../../parse/iproute2/command/command.ts";
import { answered, type Changed, changed, refused } from "./change.ts";
import { resyncFib } from "./fib.ts";
import { renamed, withoutGone } from "./rename.ts";

const answer = <T>(result: Applied<T>, then: (value: T) => Stack): Changed =>
  result.ok ? changed(then(result.value)) : answered(`RTNETLINK answers: ${result.message}`);

export function applyIp(stack: Stack, command: IpCommand): Changed {
  switch (command.kind) {
    case "route":
      return addRoute(stack, command);
    case "route-removal":
      return answer(applyToTables(stack.routeTables, command), (routeTables) => ({ ...stack, routeTables }));
    case "rule":
      return changeRules(stack, command);
    case "address":
      return answer(applyAddress(stack.devices.items, command, { promoteSecondaries: promotes(stack) }), (items) =>
        resyncFib(stack, withDevices(stack, items)),
      );
    case "link":
      return changeLink(stack, command);
    case "neighbour":
      return answer(applyNeighbour(stack.neighbours.items, command), (items) => ({
        ...stack,
        neighbours: { ...stack.neighbours, items },
      }));
    case "unknown":
      return refused({ kind: "not-understood", tool: "ip", detail: command.reason });
  }
}

const withDevices = (stack: Stack, items: readonly Device[]): Stack => ({
  ...stack,
  devices: { ...stack.devices, items },
});

const promotes = (stack: Stack): boolean => stack.sysctls.get("net.ipv4.conf.all.promote_secondaries")?.value === "1";

function changeLink(stack: Stack, command: Extract<IpCommand, { kind: "link" }>): Changed {
  const result = applyLink(stack.devices.items, command);
  if (!result.ok) return answered(`RTNETLINK answers: ${result.message}`);
  const { name } = command.change;
  if (name !== undefined && command.verb === "set")
    return changed(renamed(withDevices(stack, result.value), command.device, name));
  return changed(cameUp(command, withoutGone(resyncFib(stack, withDevices(stack, result.value)))));
}

/**
 * br_stp_enable_port(): a port that comes up forwards, where nobody runs a spanning tree. __neigh_event_send(): who did not answer is asked again by
 * the next packet, and over a link that is up now he may.
 */
function cameUp({ change, device }: Extract<IpCommand, { kind: "link" }>, stack: Stack): Stack {
  if (change.up !== true) return stack;
  const { items } = stack.devices;
  const bridge = items.find((d) => d.name === items.find((port) => port.name === device)?.master);
  const over = new Set([device, bridge?.name]);
  const { neighbours } = stack;
  const asked = neighbours.items.filter((n) => !over.has(n.device) || !n.states.includes("FAILED"));
  const devices = items.map((d) =>
    d.name === device && bridge?.bridge?.stp !== true && d.port?.state === "disabled"
      ? { ...d, port: { ...d.port, state: "forwarding" } }
      : d,
  );
  return { ...withDevices(stack, devices), neighbours: { ...neighbours, items: asked } };
}

function changeRules(stack: Stack, command: Extract<IpCommand, { kind: "rule" }>): Changed {
  const { family } = command.rule;
  const { items } = stack.routingRules;
  const others = items.filter((r) => r.family !== family);
  const result = applyRule(
    items.filter((r) => r.family === family),
    command.verb,
    command.rule,
  );
  return answer(result, (rules) => {
    const tables = rules.flatMap((r) => (r.action.kind === "lookup" ? [r.action.table] : []));
    // A table that only the new rule names is new with it.
    const fresh = [...new Set(tables)].filter(
      (id) => !stack.routeTables.some((t) => t.id === id && t.family === family),
    );
    const added = fresh.map((id): RouteTable => ({ id, family, routes: [], extent: "whole" }));
    return {
      ...stack,
      routingRules: { ...stack.routingRules, items: [...rules, ...others] },
      routeTables: [...stack.routeTables, ...added],
    };
  });
}

function addRoute(stack: Stack, command: Extract<IpCommand, { kind: "route" }>): Changed {
  const { route } = command;
  const resolved = resolveNexthops(stack, route);
  if (typeof resolved === "string") return answered(resolved);
  return answer(applyToTables(stack.routeTables, { ...command, route: resolved }), (routeTables) => ({
    ...stack,
    routeTables: routeTables.map((t) =>
      t.extent === "unread" && t.routes.length > 0 ? { ...t, extent: "partial" } : t,
    ),
  }));
}

/**
 * Follows fib_check_nh(): a device that is there and up; a gateway without one is on the device of the on-link route that
 * holds it, and must be held by such a route unless `onlink` says otherwise.
 */
function resolveNexthops(stack: Stack, route: Route): Route | string {
  const nexthops = [];
  for (const hop of route.nexthops) {
    const device = stack.devices.items.find((d) => d.name === hop.device);
    if (hop.device !== undefined && device === undefined) return `Cannot find device "${hop.device}"`;
    if (device?.up === false && route.type === "unicast") return "RTNETLINK answers: Network is down";
    // ip6_route_check_nh(): a link-local gateway is on the device it is named with.
    if (hop.gateway === undefined || hop.flags.includes("onlink") || isNearBy(hop.gateway, hop.device)) {
      nexthops.push(hop);
      continue;
    }
    const { gateway } = hop;
    const link = onLink(stack, route.table, familyOf(gateway)).find(
      (r) => contains(r.destination, gateway) && (hop.device === undefined || r.nexthops[0]?.device === hop.device),
    );
    const found = link?.nexthops[0]?.device;
    if (found === undefined) {
      if (hop.device === undefined || knowsMain(stack, familyOf(gateway)))
        return `Error: Nexthop has invalid gateway: no on-link route holds ${formatAddress(gateway)}`;
      nexthops.push(hop);
    } else nexthops.push({ ...hop, device: found });
  }
  return { ...route, nexthops };
}

/** Routes without a gateway, the most specific first, of the route's own table and of all others. */
function onLink(stack: Stack, own: number | string, family: Family): readonly Route[] {
  return stack.routeTables
    .filter((t) => t.family === family && t.id !== TABLE_LOCAL)
    .sort((a, b) => Number(b.id === own) - Number(a.id === own))
    .flatMap((t) => t.routes)
    .filter((r) => r.type === "unicast" && r.nexthops.length > 0 && r.nexthops.every((n) => n.gateway === undefined))
    .sort((a, b) => b.destination.length - a.destination.length);
}

const knowsMain = (stack: Stack, family: Family): boolean =>
  stack.routeTables.some((t) => t.id === 254 && t.family === family && t.extent === "whole");

const isNearBy = (gateway: Address, device: string | undefined): boolean =>
  device !== undefined && !isIpv4(gateway) && isLinkLocal(gateway);
