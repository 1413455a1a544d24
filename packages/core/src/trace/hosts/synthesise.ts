import { memo } from "../../datapath/index.ts";
import {
  type Assumed,
  assumed,
  type Device,
  type DeviceAddress,
  derived,
  hostRoute,
  type Link,
  type LinkEnd,
  type Origin,
  type Route,
  type RouteTable,
  type RoutingRule,
  type Stack,
  type StackKind,
  type SysctlEntry,
  TABLE_DEFAULT,
  TABLE_LOCAL,
  TABLE_MAIN,
  unread,
  type World,
  whole,
} from "../../model/index.ts";
import {
  type Address,
  anyPrefix,
  contains,
  type Family,
  familyOf,
  formatAddress,
  hostPrefix,
  isHost,
  LOOPBACK4,
  LOOPBACK6,
  loopbackPrefix,
  lowBitsOf,
  networkOf,
  type Prefix,
} from "../../net/index.ts";
import { madeDevice } from "./made-device.ts";
import { podPrograms } from "./other-datapaths.ts";
import { type Home, homeOfPod } from "./owners.ts";
import { shownListeners } from "./shown-listeners.ts";

/**
 * A host that nobody dumped and that the walk now needs. Thrown, and no Error: it is thrown often, always caught, and nobody
 * reads where from. The driver adds it to the World and walks again.
 */
export class NeedsHost {
  readonly need: HostNeed;
  constructor(need: HostNeed) {
    this.need = need;
  }
}

export type HostNeed =
  /** Behind a veth of a stack: a routed pod. */
  | { readonly kind: "behind"; readonly address: Address; readonly stack: string; readonly device: string }
  /** On a port of a stack's bridge: a bridged pod or a VM. */
  | { readonly kind: "bridged"; readonly address: Address; readonly stack: string; readonly bridge: string }
  /** Somewhere on the fabric. */
  | { readonly kind: "far"; readonly address: Address; readonly as: "endpoint" | "outside" };

const extended = new WeakMap<World, Map<string, World>>();

/** The same World each time: what walks make ready of it is kept by it. */
export function extendWorld(world: World, { need }: NeedsHost): World {
  const known = memo(extended, world, () => new Map<string, World>());
  return memo(known, needKey(need), () => extend(world, need));
}

const needKey = (need: HostNeed): string => {
  const where = need.kind === "far" ? need.as : `${need.stack} ${need.kind === "behind" ? need.device : need.bridge}`;
  return `${need.kind} ${formatAddress(need.address)} ${where}`;
};

function extend(world: World, need: HostNeed): World {
  switch (need.kind) {
    case "behind":
      return withPodBehind(world, need.address, need.stack, need.device);
    case "bridged":
      return withBridgedHost(world, need.address, need.stack, need.bridge);
    case "far": {
      const home = homeOfPod(world, need.address);
      return home === undefined ? withFarHost(world, need.address, need.as) : withHostedPod(world, need.address, home);
    }
  }
}

const shown = formatAddress;

function note(world: World, stack: Stack, links: readonly Link[], why: Assumed, changed?: Stack): World {
  return {
    ...world,
    stacks: [
      ...world.stacks.map((s) => (changed !== undefined && s.name === changed.name ? changed : s)),
      withShownMac(world, withShownListeners(world, stack)),
    ],
    links: [...world.links, ...links],
    assumptions: [...world.assumptions, { id: `${stack.name}/synthesised`, value: "assumed", why }],
  };
}

/** A host that nobody dumped has the MAC by which its node's neighbour table knows it: frames for it are sent there. */
function withShownMac(world: World, stack: Stack): Stack {
  const neighbours = world.stacks.find((s) => s.name === stack.node)?.neighbours.items ?? [];
  const items = stack.devices.items.map((d) => {
    const address = d.kind === "loopback" ? undefined : d.addresses[0]?.prefix.address;
    const known = address === undefined ? undefined : neighbours.find((n) => n.address === address && !n.proxy)?.mac;
    return known === undefined ? d : { ...d, mac: known };
  });
  return { ...stack, devices: { ...stack.devices, items } };
}

/** Sockets that somebody showed of it, and nothing else. */
function withShownListeners(world: World, stack: Stack): Stack {
  const address = stack.devices.items.find((d) => d.kind !== "loopback")?.addresses[0]?.prefix.address;
  const listeners = address === undefined ? unread : shownListeners(world, address);
  return listeners === unread ? stack : { ...stack, listeners };
}

function withPodBehind(world: World, address: Address, owner: string, device: string): World {
  const name = `pod-${shown(address)}`;
  const origin = assumed("pod without a dump");
  const node = world.stacks.find((s) => s.name === owner);
  const { mtu } = node?.devices.items.find((d) => d.name === device) ?? {};
  const stack = withMtu(hostStack(name, "pod", hostPrefix(address), undefined, "endpoint", origin, owner), mtu);
  const link: Link = {
    type: "veth",
    ends: [
      { stack: owner, device },
      { stack: name, device: "eth0" },
    ],
    origin,
  };
  const changed = node === undefined ? undefined : withWayTo(node, address, device, origin);
  return note(world, stack, [link], { kind: "pod-behind", address, device, node: owner }, changed);
}

/** A node has a way to whoever is behind it; a table that was shown whole shows it, or has none. */
function withWayTo(node: Stack, address: Address, device: string, origin: Origin): Stack {
  const route = hostRoute(address, device, origin);
  const leadsTo = ({ nexthops }: Route): boolean => nexthops.some((h) => h.device === device);
  const lacks = ({ id, family, extent, routes }: RouteTable): boolean =>
    id === TABLE_MAIN &&
    family === route.family &&
    extent !== "whole" &&
    !routes.some((r) => leadsTo(r) && r.destination.length > 0 && contains(r.destination, address));
  if (!node.routeTables.some(lacks)) return node;
  return { ...node, routeTables: node.routeTables.map((t) => (lacks(t) ? { ...t, routes: [...t.routes, route] } : t)) };
}

function withBridgedHost(world: World, address: Address, owner: string, bridge: string): World {
  const node = world.stacks.find((s) => s.name === owner);
  const device = node?.devices.items.find((d) => d.name === bridge);
  if (node === undefined || device === undefined) return withFarHost(world, address, "endpoint");
  const origin = assumed("host on a bridge without a dump");
  const name = `pod-${shown(address)}`;
  const gateway = device.addresses.find((a) => sameSubnet(a.prefix, address));
  const prefix = gateway === undefined ? hostPrefix(address) : { address, length: gateway.prefix.length };
  const stack = withMtu(hostStack(name, "pod", prefix, gateway?.prefix.address, "endpoint", origin, owner), device.mtu);
  const near = nearEnd(madeDevice("port", address), address, origin);
  const port: Device = { ...near, ...(device.mtu !== undefined && { mtu: device.mtu }), master: bridge };
  const grown: Stack = { ...node, devices: { ...node.devices, items: [...node.devices.items, port] } };
  const changed = withWayTo(grown, address, bridge, origin);
  const ends: [LinkEnd, LinkEnd] = [
    { stack: owner, device: port.name },
    { stack: name, device: "eth0" },
  ];
  return note(
    world,
    stack,
    [{ type: "veth", ends, origin }],
    { kind: "on-bridge", address, bridge, node: owner },
    changed,
  );
}

/**
 * Plugins of CNI give both ends of a veth the same MTU, and a bridge has the smallest of its ports'. Without one the pod would send what the node's end does not take,
 * in one piece.
 */
const withMtu = (stack: Stack, mtu: number | undefined): Stack =>
  mtu === undefined
    ? stack
    : {
        ...stack,
        devices: {
          ...stack.devices,
          items: stack.devices.items.map((d) => (d.kind === "loopback" ? d : { ...d, mtu })),
        },
      };

/** The node's end of the veth of a pod at this address. */
const nearEnd = (name: string, address: Address, origin: Origin): Device => ({
  name,
  kind: "veth",
  up: true,
  carrier: true,
  mac: macFor(address, 0xfe),
  addresses: [],
  addressesKnown: true,
  origin,
});

/** A pod that its object places on a node: by the device the node sends to it, or by one that must be there. */
function withHostedPod(world: World, address: Address, { pod, node, device }: Home): World {
  if (device?.kind === "bridge") return withBridgedHost(world, address, node.name, device.name);
  if (device !== undefined) return withPodBehind(world, address, node.name, device.name);
  const origin = derived("pod of a Pod object", pod.origin);
  const name = `pod-${shown(address)}`;
  const port: Device = { ...nearEnd(madeDevice("veth", address), address, origin), ...podPrograms(node) };
  const grown: Stack = { ...node, devices: { ...node.devices, items: [...node.devices.items, port] } };
  // A table that was shown whole has no way to it, whatever the object says.
  const changed = withWayTo(grown, address, port.name, origin);
  const ends: [LinkEnd, LinkEnd] = [
    { stack: node.name, device: port.name },
    { stack: name, device: "eth0" },
  ];
  return note(
    world,
    hostStack(name, "pod", hostPrefix(address), undefined, "endpoint", origin, node.name),
    [{ type: "veth", ends, origin }],
    { kind: "pod-of-object", address, pod: `${pod.namespace}/${pod.name}`, node: node.name },
    changed,
  );
}

const sameSubnet = (p: Prefix, a: Address): boolean =>
  shown(networkOf(p).address) === shown(networkOf({ address: a, length: p.length }).address);

function withFarHost(world: World, address: Address, as: "endpoint" | "outside"): World {
  const origin = assumed("far host without a dump");
  const name = `${as === "outside" ? "outside" : "endpoint"}-${shown(address)}`;
  const stack = hostStack(name, as === "outside" ? "client" : "pod", hostPrefix(address), undefined, as, origin);
  const link: Link = { type: "fabric", ends: [{ stack: name, device: "eth0" }], origin };
  return note(world, stack, [link], { kind: "far-host", address });
}

/** A locally administered MAC made from the address, so that every made-up host has one of its own. */
const macFor = (address: Address, first: number): string => {
  const n = lowBitsOf(address);
  return [first, 0x5e, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]
    .map((b) => b.toString(16).padStart(2, "0"))
    .join(":");
};

const DEFAULTS: readonly (readonly [string, string])[] = [
  ["rp_filter", "0"],
  ["forwarding", "0"],
  ["accept_local", "0"],
  ["src_valid_mark", "0"],
  ["route_localnet", "0"],
  ["send_redirects", "1"],
  ["arp_ignore", "0"],
  ["arp_announce", "0"],
  ["proxy_arp", "0"],
  ["proxy_arp_pvlan", "0"],
  ["ignore_routes_with_linkdown", "0"],
];
const GLOBALS: readonly (readonly [string, string])[] = [
  ["net.ipv4.icmp_echo_ignore_all", "0"],
  ["net.ipv4.fwmark_reflect", "0"],
  ["net.ipv4.icmp_errors_use_inbound_ifaddr", "0"],
];

/** A host with one card, one address, a default route and no rules: what a pod, a VM or an outside machine is at least. */
export function hostStack(
  name: string,
  kind: StackKind,
  prefix: Prefix,
  gateway: Address | undefined,
  as: "endpoint" | "outside",
  origin: Origin,
  node?: string,
): Stack {
  const { address } = prefix;
  const family = familyOf(address);
  const loopback = loopbackPrefix(family);
  const entry = (p: Prefix, scope: "global" | "host"): DeviceAddress => ({ prefix: p, scope, flags: [], origin });
  const lo: Device = {
    name: "lo",
    index: 1,
    kind: "loopback",
    up: true,
    carrier: true,
    mtu: 65536,
    addresses: [entry({ ...loopback, address: family === 4 ? LOOPBACK4 : LOOPBACK6 }, "host")],
    addressesKnown: true,
    origin,
  };
  const eth0: Device = {
    name: "eth0",
    index: 2,
    kind: "ethernet",
    up: true,
    carrier: true,
    mac: macFor(address, 0x02),
    addresses: [entry(prefix, "global")],
    addressesKnown: true,
    origin,
  };
  const route = (table: number, destination: Prefix, device: string, rest: Partial<Route> = {}): Route => ({
    type: "unicast",
    family,
    destination,
    table,
    nexthops: [{ device, weight: 1, flags: [] }],
    extra: [],
    origin,
    ...rest,
  });
  const local: Route[] = [
    route(TABLE_LOCAL, loopback, "lo", { type: "local", scope: "host", ...(family === 4 && { prefSrc: LOOPBACK4 }) }),
    route(TABLE_LOCAL, hostPrefix(address), "eth0", { type: "local", scope: "host", prefSrc: address }),
  ];
  const main: Route[] = [
    route(TABLE_MAIN, anyPrefix(family), "eth0", {
      nexthops: [{ device: "eth0", weight: 1, flags: ["onlink"], ...(gateway !== undefined && { gateway }) }],
      prefSrc: address,
    }),
  ];
  if (!isHost(prefix)) main.push(route(TABLE_MAIN, networkOf(prefix), "eth0", { scope: "link", prefSrc: address }));
  const table = (id: number, routes: readonly Route[]): RouteTable => ({ id, family, routes, extent: "whole" });
  const sysctls = new Map<string, SysctlEntry>();
  for (const [key, value] of GLOBALS) sysctls.set(key, { key, value, origin });
  for (const [conf, value] of DEFAULTS) {
    for (const device of ["all", "lo", "eth0"]) {
      const key = `net.ipv4.conf.${device}.${conf}`;
      sysctls.set(key, { key, value, origin });
    }
  }
  return {
    name,
    kind,
    ...(node !== undefined && { node }),
    machine: { iptables: [], kernel: { release: "6.1", major: 6, minor: 1, patch: 0, origin } },
    devices: whole([lo, eth0]),
    routingRules: whole(defaultRules(origin, family)),
    routeTables: [table(TABLE_LOCAL, local), table(TABLE_MAIN, main), table(TABLE_DEFAULT, [])],
    neighbours: whole([]),
    fdb: whole([]),
    bridgeVlans: whole([]),
    netfilter: { tables: [], nativeNft: [] },
    ipsets: whole([]),
    ipvs: { services: [], connections: [], extent: "whole" },
    conntrack: whole([]),
    listeners: unread,
    sysctls,
    assumed: as,
    origin,
  };
}

/** The three rules every namespace starts with. */
export const defaultRules = (origin: Origin, family: Family = 4): readonly RoutingRule[] =>
  [
    [0, TABLE_LOCAL],
    [32766, TABLE_MAIN],
    [32767, TABLE_DEFAULT],
  ].map(([preference, table]) => ({
    family,
    preference: preference!,
    not: false,
    action: { kind: "lookup", table: table! },
    unknown: [],
    origin,
  }));
