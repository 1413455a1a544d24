import {
  assumed,
  type Chain,
  type Device,
  type DeviceKind,
  type IptablesTable,
  type IptablesTableName,
  type Link,
  type LinkEnd,
  type Listener,
  NO_OBJECTS,
  type Route,
  type Rule,
  type Stack,
  TABLE_MAIN,
  unread,
  type World,
  whole,
} from "@hairpin/core/model/index.ts";
import { type Address, networkOf, PROTO, parseAddress, parsePrefix } from "@hairpin/core/net/index.ts";

/** Small Worlds written by hand, for tests of the lab. */
export const origin = assumed("test");
export const ip = (text: string): Address => parseAddress(text)!;
export const net = (text: string) => parsePrefix(text)!;

export const device = (name: string, kind: DeviceKind, addresses: readonly string[] = [], rest: Partial<Device> = {}) =>
  ({
    name,
    kind,
    up: true,
    addresses: addresses.map((a) => ({ prefix: net(a), scope: "global" as const, flags: [], origin })),
    addressesKnown: true,
    origin,
    ...rest,
  }) satisfies Device;

export const route = (to: string, via: string | undefined, dev: string, rest: Partial<Route> = {}): Route => ({
  type: "unicast",
  family: 4,
  destination: net(to),
  table: TABLE_MAIN,
  nexthops: [{ device: dev, weight: 1, flags: [], ...(via === undefined ? {} : { gateway: ip(via) }) }],
  ...(via === undefined ? { scope: "link" as const } : {}),
  extra: [],
  origin,
  ...rest,
});

/** The connected routes of a stack's addresses, as `ip route` would show them. */
const connected = (devices: readonly Device[]): readonly Route[] =>
  devices.flatMap((d) =>
    d.addresses
      .filter((a) => a.prefix.length < 32 && d.up !== false)
      .map((a) => ({
        ...route("0.0.0.0/0", undefined, d.name, { prefSrc: a.prefix.address, protocol: "kernel" }),
        destination: networkOf(a.prefix),
      })),
  );

export function stack(
  name: string,
  kind: Stack["kind"],
  devices: readonly Device[],
  routes: readonly Route[] = [],
  rest: Partial<Omit<Stack, "sysctls">> & { readonly sysctls?: Readonly<Record<string, string>> } = {},
): Stack {
  const { sysctls = {}, ...more } = rest;
  return {
    name,
    kind,
    machine: { iptables: [] },
    devices: whole([device("lo", "loopback"), ...devices]),
    routingRules: unread,
    routeTables: [{ id: TABLE_MAIN, family: 4, routes: [...connected(devices), ...routes], extent: "whole" }],
    neighbours: whole([]),
    fdb: whole([]),
    bridgeVlans: whole([]),
    netfilter: { tables: [], nativeNft: [] },
    ipsets: whole([]),
    ipvs: { services: [], connections: [], extent: "whole" },
    conntrack: whole([]),
    listeners: whole([]),
    origin,
    ...more,
    sysctls: new Map(Object.entries(sysctls).map(([key, value]) => [key, { key, value, origin }])),
  };
}

const end = (text: string): LinkEnd => {
  const [s, d] = text.split(":");
  return { stack: s!, device: d! };
};
export const veth = (a: string, b: string): Link => ({ type: "veth", ends: [end(a), end(b)], origin });
export const segment = (name: string, ...ends: readonly string[]): Link => ({
  type: "l2",
  name,
  ends: ends.map(end),
  origin,
});
export const underlay = (...ends: readonly string[]): Link => ({ type: "fabric", ends: ends.map(end), origin });

export const world = (stacks: readonly Stack[], links: readonly Link[], rest: Partial<World> = {}): World => ({
  stacks,
  links,
  fabric: { srcDstCheck: false, deny: [], origin },
  loadBalancers: [],
  kubernetes: NO_OBJECTS,
  assumptions: [],
  ...rest,
});

export const listener = (protocol: "tcp" | "udp", port: number, address?: string): Listener => ({
  protocol: protocol === "tcp" ? PROTO.tcp : PROTO.udp,
  port,
  origin,
  ...(address === undefined ? {} : { address: ip(address) }),
});

export const rule = (rest: Partial<Rule> & Pick<Rule, "target">): Rule => ({ matches: [], origin, ...rest });

export const table = (
  name: IptablesTableName,
  chains: Readonly<Record<string, readonly Rule[]>>,
  backend: IptablesTable["backend"] = "legacy",
): IptablesTable => ({
  name,
  family: 4,
  backend,
  extent: "whole",
  origin,
  chains: Object.entries(chains).map(
    ([chain, rules]): Chain => ({
      name: chain,
      ...(/^(PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)$/.test(chain) ? { policy: "ACCEPT" as const } : {}),
      rules,
      extent: "whole",
      origin,
    }),
  ),
});
