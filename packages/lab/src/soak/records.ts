import {
  assumed,
  type Device,
  type DeviceAddress,
  type DeviceKind,
  type Link,
  type LinkEnd,
  type Listener,
  type Nexthop,
  NO_OBJECTS,
  type Route,
  type RouteTable,
  type RouteType,
  type RoutingRule,
  type Stack,
  type SysctlEntry,
  TABLE_DEFAULT,
  TABLE_LOCAL,
  TABLE_MAIN,
  type World,
  whole,
} from "@hairpin/core/model/index.ts";
import {
  type Address,
  contains,
  hostPrefix,
  lastOf,
  networkOf,
  PROTO,
  type Prefix,
  parseAddress,
  parsePrefix,
} from "@hairpin/core/net/index.ts";
import { confKey } from "../compile/sysctls.ts";

/** Records of Worlds, complete as a kernel would have them: nothing is left for the walk to assume. */
export const origin = assumed("soak");
export const ip = (text: string): Address => parseAddress(text)!;
export const net = (text: string): Prefix => parsePrefix(text)!;

export const device = (
  name: string,
  kind: DeviceKind,
  mac: string | undefined,
  addresses: readonly string[] = [],
  rest: Partial<Device> = {},
): Device => ({
  name,
  kind,
  up: true,
  carrier: true,
  mtu: kind === "loopback" ? 65536 : 1500,
  ...(mac === undefined ? {} : { mac }),
  addresses: withSecondaries(addresses.map(address)),
  addressesKnown: true,
  origin,
  ...rest,
});

const address = (text: string): DeviceAddress => ({
  prefix: net(text),
  scope: text.startsWith("127.") ? "host" : "global",
  flags: [],
  origin,
});

/** The second address of a subnet is a secondary one (inet_insert_ifa). */
export const withSecondaries = (all: readonly DeviceAddress[]): readonly DeviceAddress[] =>
  all.map((a, i) => {
    const first = all
      .slice(0, i)
      .find((b) => b.prefix.length === a.prefix.length && contains(b.prefix, a.prefix.address));
    return first === undefined ? a : { ...a, flags: ["secondary"] };
  });

export const route = (
  table: number,
  to: Prefix,
  hops: readonly Partial<Nexthop>[],
  rest: Partial<Route> & { readonly type?: RouteType } = {},
): Route => ({
  type: "unicast",
  family: 4,
  destination: to,
  table,
  nexthops: hops.map((hop) => ({ weight: 1, flags: [], ...hop })),
  ...(hops.length > 0 && hops.every((h) => h.gateway === undefined) ? { scope: "link" as const } : {}),
  extra: [],
  origin,
  ...rest,
});

const primaryOf = (before: readonly DeviceAddress[], prefix: Prefix): Prefix =>
  before.find((a) => a.prefix.length === prefix.length && contains(a.prefix, prefix.address))?.prefix ?? prefix;

/** fib_add_ifaddr(): what a kernel adds for the addresses of a device by itself. */
export function kernelRoutes(devices: readonly Device[]): readonly Route[] {
  const made: Route[] = [];
  for (const d of devices) {
    const dev = [{ device: d.name }];
    for (const [i, { prefix, flags }] of d.addresses.entries()) {
      // A secondary address is reached from its primary one (fib_add_ifaddr).
      const primary = flags.includes("secondary") ? primaryOf(d.addresses.slice(0, i), prefix) : prefix;
      const src = primary.address;
      const kernel = { protocol: "kernel", prefSrc: src } as const;
      made.push(route(TABLE_LOCAL, hostPrefix(prefix.address), dev, { ...kernel, type: "local", scope: "host" }));
      if (d.up === false || flags.includes("secondary")) continue;
      const subnet = networkOf(prefix);
      if (d.kind === "loopback" && prefix.length < 32) {
        made.push(route(TABLE_LOCAL, subnet, dev, { ...kernel, type: "local", scope: "host" }));
      } else if (prefix.length < 32) made.push(route(TABLE_MAIN, subnet, dev, { ...kernel, scope: "link" }));
      if (prefix.length < 31) {
        const last = lastOf(subnet);
        made.push(route(TABLE_LOCAL, hostPrefix(last), dev, { ...kernel, type: "broadcast", scope: "link" }));
      }
    }
  }
  return made;
}

export const rule = (
  preference: number,
  action: RoutingRule["action"],
  rest: Partial<RoutingRule> = {},
): RoutingRule => ({ family: 4, preference, not: false, action, unknown: [], origin, ...rest });

export const DEFAULT_RULES: readonly RoutingRule[] = [
  rule(0, { kind: "lookup", table: TABLE_LOCAL }),
  rule(32766, { kind: "lookup", table: TABLE_MAIN }),
  rule(32767, { kind: "lookup", table: TABLE_DEFAULT }),
];

export interface StackParts {
  readonly name: string;
  readonly kind: Stack["kind"];
  readonly node?: string;
  readonly devices: readonly Device[];
  readonly routes?: readonly Route[];
  readonly rules?: readonly RoutingRule[];
  readonly sysctls?: Readonly<Record<string, string>>;
  readonly listeners?: readonly Listener[];
  readonly kernel: string;
  readonly rest?: Partial<Stack>;
}

const CONF = {
  rp_filter: "0",
  accept_local: "0",
  src_valid_mark: "0",
  route_localnet: "0",
  send_redirects: "0",
  arp_ignore: "0",
  arp_announce: "0",
  proxy_arp: "0",
  proxy_arp_pvlan: "0",
  ignore_routes_with_linkdown: "0",
};

export function stack(parts: StackParts): Stack {
  const lo = device("lo", "loopback", undefined, ["127.0.0.1/8"]);
  const input = parts.devices.find((d) => d.name === "lo");
  const devices = [input ?? lo, ...parts.devices.filter((d) => d.name !== "lo")].map((d, i) => ({
    ...d,
    index: i + 1,
  }));
  const routes = [...kernelRoutes(devices), ...(parts.routes ?? [])];
  const ids = [...new Set([TABLE_LOCAL, TABLE_MAIN, TABLE_DEFAULT, ...routes.map((r) => r.table)])];
  const sysctls = new Map<string, SysctlEntry>();
  const set = (key: string, value: string) => sysctls.set(key, { key, value, origin });
  set("net.ipv4.ip_forward", "0");
  for (const name of ["all", ...devices.map((d) => d.name)]) {
    for (const [conf, value] of Object.entries(CONF)) set(confKey(4, name, conf), value);
  }
  if (devices.some((d) => d.kind === "bridge")) set("net.bridge.bridge-nf-call-iptables", "1");
  for (const [key, value] of Object.entries(parts.sysctls ?? {})) set(key, value);
  const [major, minor, patch] = parts.kernel.split(/[.+-]/).map(Number);
  return {
    name: parts.name,
    kind: parts.kind,
    ...(parts.node === undefined ? {} : { node: parts.node }),
    machine: {
      iptables: [],
      kernel: { release: parts.kernel, major: major ?? 6, minor: minor ?? 1, patch: patch ?? 0, origin },
    },
    devices: whole(devices),
    routingRules: whole([...DEFAULT_RULES, ...(parts.rules ?? [])]),
    routeTables: ids.map(
      (id): RouteTable => ({ id, family: 4, routes: routes.filter((r) => r.table === id), extent: "whole" }),
    ),
    neighbours: whole([]),
    fdb: whole([]),
    bridgeVlans: whole([]),
    netfilter: { tables: [], nativeNft: [] },
    ipsets: whole([]),
    ipvs: { services: [], connections: [], extent: "whole" },
    conntrack: whole([]),
    listeners: whole(parts.listeners ?? []),
    origin,
    ...parts.rest,
    sysctls,
  };
}

export const listener = (protocol: "tcp" | "udp", port: number, at?: Address): Listener => ({
  protocol: PROTO[protocol],
  port,
  uid: 0,
  origin,
  ...(at === undefined ? {} : { address: at }),
});

export const veth = (a: LinkEnd, b: LinkEnd): Link => ({ type: "veth", ends: [a, b], origin });
export const segment = (name: string, ends: readonly LinkEnd[]): Link => ({ type: "l2", name, ends, origin });

export const world = (stacks: readonly Stack[], links: readonly Link[]): World => ({
  stacks,
  links,
  fabric: { srcDstCheck: false, deny: [], origin },
  loadBalancers: [],
  kubernetes: NO_OBJECTS,
  assumptions: [],
});
