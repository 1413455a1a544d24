import {
  type Device,
  type DeviceAddress,
  type IpSet,
  isClusterIpRule,
  type Netfilter,
  type Nexthop,
  type Route,
  type RoutingRule,
  rulesNaming,
  type Stack,
  TABLE_LOCAL,
} from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { type Address, formatAddress, isHostMask } from "../../net/index.ts";
import { CompiledSet } from "../ipset/ip-set-test.ts";
import { FibTable } from "../route/fib-table.ts";
import type { RouteResult } from "../route/route-result.ts";
import { memo } from "./memo.ts";

/** What a stack's records look like once indexed for walking. Built once per stack, shared by all branches. */
export class CompiledStack {
  readonly stack: Stack;
  readonly devices: ReadonlyMap<string, Device>;
  readonly tables: ReadonlyMap<number | string, FibTable>;
  /** Tables that are known to exist but of which nobody showed a line. */
  readonly unreadTables: ReadonlySet<number | string>;
  /** Tables of which no route was shown: what stands in them follows from addresses, or was made up. */
  readonly unshownTables: ReadonlySet<number | string>;
  /** Tables of which not every route was shown. */
  readonly cutTables: ReadonlySet<number | string>;
  readonly rules: readonly RoutingRule[];
  /** Whether anything but the three rules every namespace starts with was seen (fib_has_custom_rules). */
  readonly hasCustomRules: boolean;
  readonly hasCustomLocalRoutes: boolean;
  readonly #sets = new Map<string, CompiledSet>();
  readonly #setsByName: ReadonlyMap<string, IpSet>;
  readonly #addressOwners = new Map<string, { device: Device; address: DeviceAddress }>();
  readonly #ports = new Map<string, Device[]>();
  readonly #results = new Map<Nexthop, Map<RoutingRule | undefined, RouteResult>>();

  constructor(stack: Stack) {
    this.stack = stack;
    this.devices = new Map(stack.devices.items.map((d) => [d.name, d]));
    for (const device of stack.devices.items) {
      for (const address of device.addresses) {
        const key = formatAddress(address.prefix.address);
        if (!this.#addressOwners.has(key)) this.#addressOwners.set(key, { device, address });
      }
      if (device.master !== undefined) {
        const ports = this.#ports.get(device.master);
        if (ports === undefined) this.#ports.set(device.master, [device]);
        else ports.push(device);
      }
    }
    const tables = new Map<number | string, Route[]>();
    for (const table of stack.routeTables) {
      if (table.family !== 4) continue;
      const known = tables.get(table.id);
      if (known === undefined) tables.set(table.id, [...table.routes]);
      else append(known, table.routes);
    }
    this.tables = new Map([...tables].map(([id, routes]) => [id, new FibTable(id, routes)]));
    this.unreadTables = new Set(
      stack.routeTables.filter((t) => t.family === 4 && t.extent === "unread").map((t) => t.id),
    );
    this.unshownTables = new Set(
      stack.routeTables
        .filter((t) => t.family === 4 && t.extent !== "whole" && !t.routes.some((r) => r.origin.kind === "read"))
        .map((t) => t.id),
    );
    this.cutTables = new Set(
      stack.routeTables.filter((t) => t.family === 4 && t.extent === "partial").map((t) => t.id),
    );
    this.rules = stack.routingRules.items
      .filter((r) => r.family === 4)
      .map((rule, i) => ({ rule, i }))
      .sort((a, b) => a.rule.preference - b.rule.preference || a.i - b.i)
      .map(({ rule }) => rule);
    this.hasCustomRules = this.rules.some((r) => !isDefaultRule(r));
    this.hasCustomLocalRoutes = (tables.get(TABLE_LOCAL) ?? []).some(
      (r) => r.type === "local" && r.protocol !== undefined && r.protocol !== "kernel",
    );
    this.#setsByName = new Map(stack.ipsets.items.map((s) => [s.name, s]));
  }

  /** What a look-up that ends at this nexthop of a route gives: the same whenever it does. */
  routeResult(route: Route, nexthop: Nexthop, rule: RoutingRule | undefined, make: () => RouteResult): RouteResult {
    const byRule = memo(this.#results, nexthop, () => new Map<RoutingRule | undefined, RouteResult>());
    const known = byRule.get(rule);
    if (known?.route === route) return known;
    const made = make();
    byRule.set(rule, made);
    return made;
  }

  set(name: string): CompiledSet | undefined {
    let compiled = this.#sets.get(name);
    if (compiled === undefined) {
      const set = this.#setsByName.get(name);
      if (set === undefined) return undefined;
      compiled = new CompiledSet(set, (member) => this.set(member));
      this.#sets.set(name, compiled);
    }
    return compiled;
  }

  /** The interface address equal to this one, on any device, up or down. */
  interfaceAddress(address: Address): { readonly device: Device; readonly address: DeviceAddress } | undefined {
    return this.#addressOwners.get(formatAddress(address));
  }

  /** Whether a rule of a user chain names it as its one destination: a Service, as kube-proxy's iptables mode writes them. */
  isServiceDestination(address: Address): boolean {
    return namedAs(this.stack.netfilter, address) !== undefined;
  }

  /** Of those, one that only kube-proxy knows: nobody outside has a ClusterIP. */
  isClusterAddress(address: Address): boolean {
    return namedAs(this.stack.netfilter, address) === "cluster";
  }

  ports(bridge: string): readonly Device[] {
    return this.#ports.get(bridge) ?? [];
  }
}

type Named = "service" | "cluster" | undefined;

/** One address is asked for, of as many as ten thousand Services: looking is cheaper than keeping a list of all. */
const query = new WeakMap<Netfilter, Map<string, Named>>();

function namedAs(netfilter: Netfilter, address: Address): Named {
  const known = memo(query, netfilter, () => new Map<string, Named>());
  const shown = formatAddress(address);
  if (!known.has(shown)) known.set(shown, lookFor(netfilter, address));
  return known.get(shown);
}

function lookFor({ tables }: Netfilter, address: Address): Named {
  let named: Named;
  for (const table of tables) {
    if (table.family !== 4) continue;
    for (const { chain, rule } of rulesNaming(table, address)) {
      const { destination, matches } = rule;
      if (chain.policy !== undefined || destination?.value.address !== address) continue;
      if (destination.negated || !isHostMask(destination.value.mask)) continue;
      if (isClusterIpRule({ matches })) return "cluster";
      named = "service";
    }
  }
  return named;
}

function isDefaultRule(r: RoutingRule): boolean {
  const bare =
    !r.not && [r.from, r.to, r.fwmark, r.iif, r.oif, r.tos, r.ipProto, r.sport, r.dport].every((x) => x === undefined);
  if (!bare || r.action.kind !== "lookup") return false;
  const { table } = r.action;
  return (
    (r.preference === 0 && (table === 255 || table === "local")) ||
    (r.preference === 32766 && (table === 254 || table === "main")) ||
    (r.preference === 32767 && (table === 253 || table === "default"))
  );
}

const cache = new WeakMap<Stack, CompiledStack>();
export function compile(stack: Stack): CompiledStack {
  return memo(cache, stack, () => new CompiledStack(stack));
}
