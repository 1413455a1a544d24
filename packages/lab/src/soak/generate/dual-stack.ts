import {
  type Device,
  type DeviceAddress,
  type IpSet,
  type Link,
  type Neighbour,
  type Packet,
  type Route,
  type RoutingRule,
  type Stack,
  type SysctlEntry,
  TABLE_LOCAL,
  TABLE_MAIN,
  type VirtualService,
} from "@hairpin/core/model/index.ts";
import {
  formatAddress,
  hostPrefix,
  type Ipv6,
  isIpv4,
  LOOPBACK6,
  linkLocalOfMac,
  networkOf,
  PROTO,
} from "@hairpin/core/net/index.ts";
import { confKey } from "../../compile/sysctls.ts";
import type { Change } from "../../plan.ts";
import type { Random } from "../random.ts";
import { origin } from "../records.ts";
import type { Scenario, SoakStep } from "../scenario.ts";
import { ruleIn6, set6, six, sixNetwork, sixPrefix, table6 } from "./in-ipv6.ts";

/** The next hop that Calico's pods have in IPv4. In IPv6 it is the link-local address of the node's end. */
const PROXIED = "169.254.1.1";

/**
 * A scenario of IPv4 made one of both families: every address, route, rule, table, set and virtual server stands there a second time in IPv6,
 * and half of the steps are asked in it.
 */
export function dualStack({ world, steps }: Scenario, random: Random): Scenario {
  const stacks = world.stacks.map((s) => bothFamilies(s, world.links, world.stacks, random.fork(s.name)));
  const sixth = new Set<string>();
  return {
    world: { ...world, stacks },
    steps: steps.map((step) => stepIn(step, random, sixth)),
  };
}

function bothFamilies(stack: Stack, links: readonly Link[], all: readonly Stack[], random: Random): Stack {
  const devices = stack.devices.items.map((d) => ({ ...d, addresses: [...d.addresses, ...addresses6(d)] }));
  const gateway = (route: Route): Ipv6 | undefined => peerOf(stack, route, links, all);
  const routes = stack.routeTables
    .flatMap((t) => t.routes)
    .filter((r) => r.protocol !== "kernel" && formatAddress(r.destination.address) !== PROXIED)
    .map((r) => route6(r, gateway(r)));
  const own = [...devices.flatMap(kernelRoutes6), ...routes];
  const ids = [...new Set<number | string>([TABLE_LOCAL, TABLE_MAIN, ...own.map((r) => r.table)])];
  const forwards = stack.sysctls.get("net.ipv4.ip_forward")?.value ?? "0";
  const set = (key: string, value: string): readonly [string, SysctlEntry] => [key, { key, value, origin }];
  const bridged = stack.sysctls.get("net.bridge.bridge-nf-call-iptables")?.value;
  const sysctls = new Map([
    ...stack.sysctls,
    ...["all", ...devices.map((d) => d.name)].flatMap((d) => [
      set(confKey(6, d, "forwarding"), forwards),
      set(confKey(6, d, "disable_ipv6"), "0"),
      set(confKey(6, d, "proxy_ndp"), "0"),
    ]),
    ...(bridged === undefined ? [] : [set("net.bridge.bridge-nf-call-ip6tables", bridged)]),
  ]);
  // What a device says of its own does not decide (ip6_forward()).
  if (forwards === "1" && random.chance(0.1)) {
    const [key, entry] = set(confKey(6, random.pick(devices).name, "forwarding"), "0");
    sysctls.set(key, entry);
  }
  return {
    ...stack,
    devices: { ...stack.devices, items: devices },
    routingRules: {
      ...stack.routingRules,
      items: [
        ...stack.routingRules.items,
        ...stack.routingRules.items.filter((r) => r.preference !== 32767).map(rule6),
      ],
    },
    routeTables: [
      ...stack.routeTables,
      ...ids.map((id) => ({ id, family: 6, routes: own.filter((r) => r.table === id), extent: "whole" }) as const),
    ],
    neighbours: { ...stack.neighbours, items: [...stack.neighbours.items, ...stack.neighbours.items.map(neighbour6)] },
    netfilter: { ...stack.netfilter, tables: [...stack.netfilter.tables, ...stack.netfilter.tables.map(table6)] },
    ipsets: { ...stack.ipsets, items: [...stack.ipsets.items, ...stack.ipsets.items.map(set6)] as readonly IpSet[] },
    ipvs: { ...stack.ipvs, services: [...stack.ipvs.services, ...stack.ipvs.services.map(service6)] },
    sysctls,
  };
}

function addresses6(device: Device): readonly DeviceAddress[] {
  const made = device.addresses.map(
    ({ prefix, scope }): DeviceAddress => ({
      prefix: sixPrefix(prefix),
      scope,
      flags: [],
      origin,
    }),
  );
  // A bridge's ports have no use for one, and a device that is down makes none.
  const speaks = device.kind !== "loopback" && device.master === undefined && device.up !== false;
  if (!speaks || device.mac === undefined) return made;
  return [...made, { prefix: { address: linkLocalOfMac(device.mac), length: 64 }, scope: "link", flags: [], origin }];
}

/** addrconf_prefix_route(), and the entries of table local. */
function kernelRoutes6(device: Device): readonly Route[] {
  const hop = [{ device: device.name, weight: 1, flags: [] }];
  const kernel = { family: 6, protocol: "kernel", nexthops: hop, extra: [], origin } as const;
  const six = device.addresses.filter((a) => !isIpv4(a.prefix.address));
  const lo = device.kind === "loopback" && !six.some((a) => a.prefix.address === LOOPBACK6);
  const held = [...(lo ? [hostPrefix(LOOPBACK6)] : []), ...six.map((a) => a.prefix)];
  const connected = device.up === false || device.kind === "loopback" ? [] : held;
  const networks = connected.map(networkOf);
  const once = networks.filter(
    (n, i) => networks.findIndex((o) => o.address === n.address && o.length === n.length) === i,
  );
  return [
    ...held.map(
      (p): Route => ({
        ...kernel,
        type: "local",
        table: TABLE_LOCAL,
        destination: hostPrefix(p.address),
        metric: 0,
      }),
    ),
    ...once.map((p): Route => ({ ...kernel, type: "unicast", table: TABLE_MAIN, destination: p, metric: 256 })),
  ];
}

/** The link-local address at the other end of the cable that a route leads into. */
function peerOf({ name }: Stack, route: Route, links: readonly Link[], all: readonly Stack[]): Ipv6 | undefined {
  const [hop] = route.nexthops;
  if (hop?.gateway === undefined || formatAddress(hop.gateway) !== PROXIED) return undefined;
  for (const link of links) {
    if (link.type !== "veth" || !link.ends.some((e) => e.stack === name && e.device === hop.device)) continue;
    const far = link.ends.find((e) => e.stack !== name);
    const device = all.find((s) => s.name === far?.stack)?.devices.items.find((d) => d.name === far?.device);
    if (device?.mac !== undefined) return linkLocalOfMac(device.mac);
  }
  return undefined;
}

/** Of several next hops the first: between them an unknown hash decides. */
function route6({ scope: _, ...route }: Route, gateway: Ipv6 | undefined): Route {
  const hops = route.nexthops.slice(0, 1).map((hop) => ({
    ...hop,
    ...(hop.gateway !== undefined && { gateway: gateway ?? six(hop.gateway) }),
  }));
  return {
    ...route,
    family: 6,
    destination: sixNetwork(route.destination),
    nexthops: hops,
    ...(route.prefSrc !== undefined && { prefSrc: six(route.prefSrc) }),
  };
}

const rule6 = (rule: RoutingRule): RoutingRule => ({
  ...rule,
  family: 6,
  ...(rule.from !== undefined && { from: sixNetwork(rule.from) }),
  ...(rule.to !== undefined && { to: sixNetwork(rule.to) }),
  ...(rule.ipProto === PROTO.icmp && { ipProto: PROTO.icmp6 }),
});

const neighbour6 = (n: Neighbour): Neighbour => ({ ...n, address: six(n.address) });

const service6 = (s: VirtualService): VirtualService => ({
  ...s,
  key: s.key.kind === "fwmark" ? { ...s.key, family: 6 } : { ...s.key, address: six(s.key.address) },
  realServers: s.realServers.map((r) => ({ ...r, address: six(r.address) })),
});

/** Than IPv4's, the header of IPv6. */
const LONGER = 20;

/** Half of what is asked; what belongs to an earlier step follows it. */
function stepIn(step: SoakStep, random: Random, sixth: Set<string>): SoakStep {
  switch (step.kind) {
    case "send":
      return step.size !== undefined && sixth.has(step.id) ? { ...step, size: step.size + LONGER } : step;
    case "close":
      return step;
    case "change":
      return random.chance(0.5) ? { ...step, change: change6(step.change) } : step;
    case "inject":
      return random.chance(0.5) ? { ...step, packet: packet6(step.packet) } : step;
    case "connect":
    case "udp":
    case "ping": {
      if (!random.chance(0.5)) return step;
      if (step.kind === "connect") sixth.add(step.id);
      const { size, ...same } = step;
      return {
        ...same,
        // Fragments of IPv6 are not walked.
        ...(step.kind === "connect" && size !== undefined && { size: size + LONGER }),
        to: six(step.to),
        ...(step.bindAddress !== undefined && { bindAddress: six(step.bindAddress) }),
      };
    }
  }
}

function change6(change: Change): Change {
  switch (change.kind) {
    case "route":
      return { ...change, route: route6(change.route, undefined) };
    case "rule":
      return { ...change, rule: rule6(change.rule) };
    case "iptables": {
      const { edit } = change;
      return {
        ...change,
        family: 6,
        edit: edit.kind === "append" || edit.kind === "insert" ? { ...edit, rule: ruleIn6(edit.rule) } : edit,
      };
    }
    case "ipvs": {
      const service =
        change.service.kind === "address"
          ? { ...change.service, address: six(change.service.address) }
          : change.service;
      return { ...change, service, server: { ...change.server, address: six(change.server.address) } };
    }
    default:
      return change;
  }
}

/** Types of ICMP and what ICMPv6 has for them. */
const ICMP6 = new Map([
  ["0/0", { type: 129, code: 0 }],
  ["8/0", { type: 128, code: 0 }],
  ["3/3", { type: 1, code: 4 }],
  ["3/1", { type: 1, code: 3 }],
]);

function packet6(p: Packet): Packet {
  const own = { ...p, src: six(p.src), dst: six(p.dst), length: p.length + 20, df: true };
  if (p.icmp === undefined) return own;
  const { inner } = p.icmp;
  const header = ICMP6.get(`${p.icmp.type}/${p.icmp.code}`) ?? { type: 128, code: 0 };
  return {
    ...own,
    protocol: PROTO.icmp6,
    icmp: { ...p.icmp, ...header, ...(inner !== undefined && { inner: packet6(inner) }) },
  };
}
