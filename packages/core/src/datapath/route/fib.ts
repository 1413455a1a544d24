import {
  type Device,
  type Nexthop,
  type Origin,
  type Port,
  placeOf,
  type Route,
  type RoutingRule,
  TABLE_DEFAULT,
  TABLE_LOCAL,
  TABLE_MAIN,
} from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import {
  type Address,
  ANY4,
  BROADCAST4,
  contains,
  hasPorts,
  isIpv4,
  isMulticast,
  type PortRange,
  type Prefix,
} from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import { type OwnerId, ownerFits } from "../kernel/owner.ts";
import { portInRange } from "../kernel/ports.ts";
import { devConfFlag } from "../kernel/sysctl.ts";
import { inetSelectAddr, scopeNumber } from "./inet-select-addr.ts";
import type { RouteErrno, RouteError, RouteResult } from "./route-result.ts";

/** struct flowi4: what a look-up may depend on. */
export interface FlowKey {
  readonly daddr: Address;
  /** undefined while none is chosen: for a `from` selector that is 0.0.0.0 (struct flowi4). */
  readonly saddr: Address | undefined;
  /** Arrival device; "lo" for locally generated packets. */
  readonly iif: string;
  /** Bound output device, if any. */
  readonly oif?: string | undefined;
  /** IPv6: no socket is bound to `oif` (sk_bound_dev_if): rules by `oif` and the order of routes go by it, and another device may be taken. */
  readonly preferred?: true | undefined;
  readonly mark: number;
  readonly tos: number;
  readonly protocol: number;
  readonly sport?: Port | undefined;
  readonly dport?: Port | undefined;
  readonly uid?: OwnerId | undefined;
}

/**
 * Follows fib_rules_lookup() (net/core/fib_rules.c) and fib4_rule_match(): rules by preference, and a table that has
 * no answer hands on to the next rule. Of several nexthops the first: which is taken is for fibSelectPath() to say.
 */
export function fibLookup(kernel: Kernel, key: FlowKey): RouteResult | RouteError {
  const { rules } = kernel.compiled;
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i]!;
    if (!ruleMatches(kernel, rule, key)) continue;
    const { action } = rule;
    switch (action.kind) {
      case "lookup": {
        const found = tableLookup(kernel, action.table, key, rule);
        if (found === undefined && isAimed(rule) && !passedOver(kernel, action.table))
          return { type: "error", errno: "ENETUNREACH", rule: rule.preference, origins: [rule.origin] };
        if (found === undefined) break;
        return found;
      }
      case "goto": {
        // A rule whose target nobody has (`[unresolved]`) is passed over.
        const target = rules.findIndex((r, j) => j > i && r.preference === action.target);
        if (target >= 0) i = target - 1;
        break;
      }
      case "nop":
        break;
      case "unreachable":
        return { type: "error", errno: "ENETUNREACH", rule: rule.preference, origins: [rule.origin] };
      case "prohibit":
        return { type: "error", errno: "EACCES", rule: rule.preference, origins: [rule.origin] };
      case "blackhole":
        return { type: "error", errno: "EINVAL", rule: rule.preference, origins: [rule.origin] };
      case "unknown":
        throw new Undetermined(kernel.name, "route", { kind: "unknown-rule-action", action: action.text }, [
          rule.origin,
        ]);
    }
  }
  const { stack, compiled, oracle } = kernel;
  if (compiled.cutTables.size > 0 && stack.assumed === undefined && stack.fromObjects !== true)
    oracle.rests({ kind: "routes", stack: stack.name, how: stack.rulesOnly === true ? "made-up" : "cut" });
  return { type: "error", errno: "ENETUNREACH", origins: [] };
}

/** A rule for some packets only, not `from all lookup 220`. */
export const isAimed = (r: RoutingRule): boolean =>
  (r.from?.length ?? 0) > 0 || (r.to?.length ?? 0) > 0 || r.iif !== undefined || r.fwmark !== undefined;

/** Whoever writes a rule for some packets has routes in its table: one without any was not shown, rather than empty. */
function passedOver({ stack, compiled, oracle }: Kernel, table: number | string): boolean {
  const known = compiled.tables.get(table);
  if (stack.assumed !== undefined || stack.fromObjects === true || (known !== undefined && known.size > 0)) return true;
  return oracle.rests({ kind: "route-table", stack: stack.name, table });
}

/** fib4_rule_match() and fib6_rule_match(): they test the same. */
export function ruleMatches(kernel: Kernel, rule: RoutingRule, key: FlowKey): boolean {
  if (rule.iif !== undefined && rule.iif !== key.iif) return rule.not;
  if (rule.oif !== undefined && rule.oif !== key.oif) return rule.not;
  if (rule.fwmark !== undefined || rule.fwmask !== undefined) {
    // fib_nl2rule(): a mark of 0 without a mask compares no bit.
    const mask = rule.fwmask ?? ((rule.fwmark ?? 0) === 0 ? 0 : 0xffffffff);
    if (((key.mark ^ (rule.fwmark ?? 0)) & mask) !== 0) return rule.not;
  }
  if (rule.uidRange !== undefined && !ownerWithin(kernel, rule.uidRange, key.uid ?? 0)) return rule.not;
  if (rule.from !== undefined && rule.from.length > 0 && !fromFits(rule.from, key.saddr)) return rule.not;
  if (rule.to !== undefined && rule.to.length > 0 && !contains(rule.to, key.daddr)) return rule.not;
  if (rule.tos !== undefined && rule.tos !== (key.tos & 0x1c)) return rule.not;
  if (rule.dscp !== undefined && rule.dscp !== key.tos >> 2) return rule.not;
  if (rule.ipProto !== undefined && rule.ipProto !== key.protocol) return rule.not;
  if (rule.sport !== undefined && !portMatches(kernel, rule.sport, key, key.sport)) return rule.not;
  if (rule.dport !== undefined && !portMatches(kernel, rule.dport, key, key.dport)) return rule.not;
  if (rule.tunId !== undefined) return rule.not;
  if (rule.l3mdev === true) {
    const hasVrf = kernel.stack.devices.items.some((d) => d.kind === "vrf");
    if (!hasVrf) return rule.not;
    throw new Undetermined(kernel.name, "route", { kind: "unknown-vrf" }, [rule.origin]);
  }
  if (rule.unknown.length > 0) {
    const origin = rule.origin;
    const at = origin.kind === "read" ? placeOf(origin) : String(rule.preference);
    return kernel.oracle.fact({ kind: "ip-rule", stack: kernel.name, at }, ["matches", "does not match"]) === "matches";
  }
  return !rule.not;
}

/** No source chosen yet is 0.0.0.0 in IPv4, which a `from` may have; in IPv6 it fits none. */
const fromFits = (from: Prefix, saddr: Address | undefined): boolean =>
  saddr === undefined ? isIpv4(from.address) && contains(from, ANY4) : contains(from, saddr);

const within = (r: PortRange, n: number): boolean => n >= r.from && n <= r.to;

const ownerWithin = (kernel: Kernel, range: PortRange, uid: OwnerId): boolean =>
  uid === "unknown" ? ownerFits(kernel, range) : within(range, uid);

function portMatches(kernel: Kernel, range: PortRange, key: FlowKey, port: Port | undefined): boolean {
  if (!hasPorts(key.protocol) || port === undefined) return false;
  return portInRange(kernel, port, range);
}

export const TYPE_ERRNO: Readonly<Record<string, RouteErrno>> = lookup({
  blackhole: "EINVAL",
  unreachable: "EHOSTUNREACH",
  prohibit: "EACCES",
});

/** One table's answer, or undefined to go on with the next rule (no match, `throw`, suppressed). */
function tableLookup(
  kernel: Kernel,
  id: number | string,
  key: FlowKey,
  rule: RoutingRule | undefined,
): RouteResult | RouteError | undefined {
  const table = kernel.compiled.tables.get(id);
  const ruleOrigins: readonly Origin[] = rule === undefined ? [] : [rule.origin];
  if (kernel.compiled.unreadTables.has(id) && (table === undefined || table.size === 0)) {
    throw new Undetermined(kernel.name, "route", { kind: "unknown-table", table: id }, ruleOrigins);
  }
  if (table === undefined) return undefined;
  let known = false;
  for (const route of table.candidates(key.daddr)) {
    known = true;
    if (route.tos !== undefined && route.tos !== 0 && route.tos !== (key.tos & 0x1c)) continue;
    if (route.type === "throw") return undefined;
    const errno = TYPE_ERRNO[route.type];
    if (errno !== undefined) {
      const origins = [...ruleOrigins, route.origin];
      return { type: "error", errno, table: id, ...(rule && { rule: rule.preference }), origins };
    }
    const usable = usableNexthops(kernel, route, key);
    if (usable.length === 0) continue;
    if (rule !== undefined && suppressed(kernel, rule, route)) return undefined;
    if (!leadsThere(kernel, id, route)) return { type: "error", errno: "ENETUNREACH", table: id, origins: ruleOrigins };
    if (id !== TABLE_LOCAL && !ruledRight(kernel))
      return { type: "error", errno: "ENETUNREACH", table: id, origins: ruleOrigins };
    const paths = usable.map(({ nexthop, device }) =>
      kernel.compiled.routeResult(route, nexthop, rule, () =>
        resultOf(kernel, route, nexthop, device, id, rule, [...ruleOrigins, route.origin]),
      ),
    );
    return paths.length === 1 ? paths[0] : { ...paths[0]!, paths };
  }
  return id === TABLE_LOCAL && !known ? bindingNotShown(kernel, key.daddr, rule, ruleOrigins) : undefined;
}

/** Follows fib4_rule_suppress(): the device is that of the first nexthop. */
function suppressed(kernel: Kernel, rule: RoutingRule, route: Route): boolean {
  if (rule.suppressPrefixLength !== undefined && route.destination.length <= rule.suppressPrefixLength) return true;
  const first = route.nexthops[0]?.device;
  if (rule.suppressGroup === undefined || first === undefined) return false;
  return groupOf(kernel, first) === rule.suppressGroup;
}

/** A device's group as ip(8) names it; one that no dump shows is in the default group. */
const groupOf = (kernel: Kernel, device: string): string => kernel.device(device)?.group ?? "default";

/** A default route stands for whatever was cut from its table, or was made up: a better one may be among what nobody showed. */
function leadsThere(kernel: Kernel, id: number | string, route: Route): boolean {
  const { stack } = kernel;
  if (stack.assumed !== undefined || stack.fromObjects === true) return true;
  const { compiled } = kernel;
  const guessed =
    route.origin.kind === "assumed" ||
    (route.destination.length === 0 && compiled.cutTables.has(id)) ||
    (route.destination.length < 32 && compiled.unshownTables.has(id));
  if (!guessed) return true;
  const how = stack.rulesOnly === true ? "made-up" : compiled.unshownTables.has(id) ? "unshown" : "cut";
  return kernel.oracle.rests({ kind: "routes", stack: stack.name, how });
}

/** Where a stack has tables beyond the three every kernel has, some rule looks them up; whoever collected only main shows neither. */
function ruledRight({ stack, oracle }: Kernel): boolean {
  if (stack.routingRules.extent !== "unread" || stack.assumed !== undefined || stack.fromObjects === true) return true;
  const own = stack.routeTables.some((t) => t.family === 4 && t.routes.length > 0 && !EVERYBODYS.includes(t.id));
  const hidden = own || stack.rulesUncollected === true;
  return !hidden || oracle.rests({ kind: "routing-rules", stack: stack.name });
}

export const EVERYBODYS: readonly (number | string)[] = [TABLE_LOCAL, TABLE_MAIN, TABLE_DEFAULT];

/** An address that no dump shows on this stack but that it may have: local, if the hypothesis says so. */
function bindingNotShown(
  kernel: Kernel,
  address: Address,
  rule: RoutingRule | undefined,
  origins: readonly Origin[],
): RouteResult | undefined {
  if (!kernel.network.mayBind(kernel, address) || !kernel.network.binds(kernel, address)) return undefined;
  const device = kernel.stack.devices.items.find((d) => d.kind === "loopback");
  if (device === undefined) return undefined;
  return {
    type: "local",
    device,
    source: address,
    table: TABLE_LOCAL,
    ...(rule && { rule: rule.preference }),
    origins,
  };
}

interface Usable {
  readonly nexthop: Nexthop;
  readonly device: Device;
}

function usableNexthops(kernel: Kernel, route: Route, key: FlowKey): readonly Usable[] {
  const usable: Usable[] = [];
  for (const nexthop of route.nexthops) {
    const device = usableDevice(kernel, route, nexthop, key);
    if (device !== undefined) usable.push({ nexthop, device });
  }
  return usable;
}

function usableDevice(kernel: Kernel, route: Route, nexthop: Nexthop, key: FlowKey): Device | undefined {
  if (nexthop.flags.includes("dead")) return undefined;
  if (nexthop.device === undefined) return undefined;
  const device = kernel.device(nexthop.device);
  if (device === undefined) {
    throw new Undetermined(kernel.name, "route", { kind: "unknown-route-device", device: nexthop.device ?? "?" }, [
      route.origin,
    ]);
  }
  const local = route.type === "local" || route.type === "broadcast";
  if (!local && device.up === false) return undefined;
  // fib_lookup_good_nhc(): a socket bound to one device does not even see the local addresses of another.
  if (key.oif !== undefined && key.oif !== device.name) return undefined;
  if (!local && device.carrier === false && devConfFlag(kernel, "ignore_routes_with_linkdown", device.name)) {
    return undefined;
  }
  return device;
}

/** The way that a default route beside the one found gives. */
export function alongRoute(kernel: Kernel, found: RouteResult, route: Route): RouteResult {
  const [nexthop] = route.nexthops;
  const device = nexthop?.device === undefined ? undefined : kernel.device(nexthop.device);
  if (nexthop === undefined || device === undefined || device.up === false) return found;
  const rule = kernel.compiled.rules.find((r) => r.preference === found.rule);
  const origins = [...found.origins.filter((o) => o !== found.route?.origin), route.origin];
  return resultOf(kernel, route, nexthop, device, found.table, rule, origins);
}

function resultOf(
  kernel: Kernel,
  route: Route,
  nexthop: Nexthop,
  device: Device,
  table: number | string,
  rule: RoutingRule | undefined,
  origins: readonly Origin[],
): RouteResult {
  const type = route.type === "local" ? "local" : route.type === "broadcast" ? "broadcast" : "unicast";
  const scope = scopeNumber(route.scope);
  const selected =
    route.prefSrc !== undefined && isIpv4(route.prefSrc)
      ? route.prefSrc
      : type === "local" && route.destination.length === 32
        ? route.destination.address
        : inetSelectAddr(kernel, device, nexthop.gateway, scope)?.address;
  return {
    type,
    device,
    ...(nexthop.gateway !== undefined && { gateway: nexthop.gateway }),
    ...(selected !== undefined && { source: selected }),
    table,
    ...(rule !== undefined && { rule: rule.preference }),
    ...(route.mtu !== undefined && { mtu: route.mtu }),
    route,
    nexthop,
    origins,
  };
}

export type AddrType =
  | "UNICAST"
  | "LOCAL"
  | "BROADCAST"
  | "ANYCAST"
  | "MULTICAST"
  | "UNREACHABLE"
  | "PROHIBIT"
  | "BLACKHOLE"
  | "THROW";

/** Follows __inet_dev_addr_type() (fib_frontend.c): table local alone decides; no entry is UNICAST. */
export function inetAddrType(kernel: Kernel, address: Address, device?: string): AddrType {
  if (!isIpv4(address)) return "UNICAST";
  if (address === ANY4 || address === BROADCAST4) return "BROADCAST";
  if (isMulticast(address)) return "MULTICAST";
  const shown = shownAddrType(kernel, address, device);
  if (shown !== undefined) return shown;
  return kernel.network.mayBind(kernel, address) && kernel.network.binds(kernel, address) ? "LOCAL" : "UNICAST";
}

/** What the dumped local table says of an address; undefined: it has no entry. */
export function shownAddrType(kernel: Kernel, address: Address, device?: string): AddrType | undefined {
  const table = kernel.compiled.tables.get(TABLE_LOCAL);
  if (table === undefined) return undefined;
  for (const route of table.candidates(address)) {
    // __inet_dev_addr_type(): the first entry decides, also where another device has the same address.
    if (device !== undefined && route.nexthops[0]?.device !== device) return "UNICAST";
    return route.type.toUpperCase() as AddrType;
  }
  return undefined;
}

export const isLocalAddress = (kernel: Kernel, address: Address): boolean => inetAddrType(kernel, address) === "LOCAL";

/** Every nexthop device of the best route, for the reverse-path test (fib_info_nh_uses_dev). */
export const routeUsesDevice = (result: RouteResult, device: string): boolean =>
  result.device.name === device ||
  (result.route?.nexthops.some((n) => n.device === device && !n.flags.includes("dead")) ?? false);
