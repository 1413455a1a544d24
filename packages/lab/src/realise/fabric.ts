import {
  assumed,
  type Device,
  type LinkEnd,
  type Neighbour,
  type Route,
  type Stack,
  TABLE_MAIN,
  type World,
} from "@hairpin/core/model/index.ts";
import {
  type Address,
  anyPrefix,
  contains,
  formatPrefix,
  hostPrefix,
  ipv4Of,
  isIpv4,
  networkOf,
  PROTO,
  type Prefix,
  parsePrefix,
  singlePort,
} from "@hairpin/core/net/index.ts";
import { emptyStack, type LabStack } from "../plan.ts";
import { balancerRules } from "./balancers.ts";
import { type CableEnds, card, loopback } from "./links.ts";
import type { Remarks } from "./report.ts";
import { type MadeRule, tableOf } from "./rules.ts";
import type { ChosenFacts } from "./sysctls.ts";
import { wayOut } from "./way-out.ts";

const origin = assumed("made for the lab");
export const FABRIC = "fabric";

/** Where the underlay joins a stack: the card, the fabric's own end of the cable, and what receives there. */
interface Port {
  readonly end: LinkEnd;
  readonly stack: Stack;
  readonly name: string;
  readonly gateway: Address;
  readonly receiver: Device;
}

export interface FabricParts {
  readonly stacks: readonly LabStack[];
  readonly cables: readonly CableEnds[];
}

/**
 * The underlay nobody dumped, as a router that delivers by who owns the address and is not felt otherwise: it answers
 * every ARP request, gives back the TTL it takes, and knows the MACs it sends to. Load balancers, egress translation,
 * firewall and source check are rules in it.
 */
export function fabricOf(
  world: World,
  devices: ReadonlyMap<string, readonly Device[]>,
  ends: readonly LinkEnd[],
  facts: ChosenFacts,
  remarks: Remarks,
): FabricParts {
  const ports = ends.flatMap((end, i) => portOf(world, devices, end, i));
  if (ports.length === 0) return { stacks: [], cables: [] };
  const outside = card("nowhere");
  const routes: Route[] = [routeTo(anyPrefix(4), outside.name)];
  const owned = ownership(world, devices, ports);
  for (const [, { prefix, port }] of owned) routes.push(routeTo(prefix, port.name, port.gateway));
  const neighbours = ports.map(
    (port): Neighbour => ({
      address: port.gateway,
      device: port.name,
      mac: port.receiver.mac!,
      states: ["PERMANENT"],
      router: false,
      proxy: false,
      origin,
    }),
  );
  const rules = balancerRules(world, facts, remarks);
  const stack: LabStack = {
    ...emptyStack(FABRIC, "fabric"),
    devices: [loopback, outside, ...ports.map((port) => card(port.name))],
    routes,
    neighbours,
    tables: [
      ...tableOf("raw", {
        PREROUTING: [...denied(world, remarks), ...foreignSources(world, ports, owned)],
        // What nobody owns is lost without a word.
        OUTPUT: [{ protocol: PROTO.icmp, target: { kind: "drop" } }],
      }),
      ...tableOf("mangle", { PREROUTING: [{ target: { kind: "ttl", action: "inc", value: 1 } }] }),
      ...tableOf("nat", {
        PREROUTING: [...leaving(world, ports), ...rules.prerouting],
        POSTROUTING: [...rules.postrouting, ...egress(world, ports)],
      }),
    ],
    sysctls: [
      ["net.ipv4.ip_forward", "1"],
      ["net.ipv4.conf.all.proxy_arp", "1"],
      ["net.ipv4.conf.all.send_redirects", "0"],
      ...ports.map((port) => [`net.ipv4.conf.${port.name}.send_redirects`, "0"] as const),
    ],
  };
  const cables = ports.map((port): CableEnds => [port.end, { stack: FABRIC, device: port.name }]);
  return { stacks: [stack], cables };
}

/** Frames for a card that is a bridge's port are for the bridge. */
function portOf(
  world: World,
  devices: ReadonlyMap<string, readonly Device[]>,
  end: LinkEnd,
  number: number,
): readonly Port[] {
  const stack = world.stacks.find((s) => s.name === end.stack);
  const own = devices.get(end.stack) ?? [];
  const device = own.find((d) => d.name === end.device);
  if (stack === undefined || device === undefined) return [];
  const receiver = own.find((d) => d.name === device.master) ?? device;
  const gateway = ipv4Of(0xa9fec000 + number + 1);
  return [{ end, stack, name: `f${number}`, gateway, receiver }];
}

const routeTo = (destination: Prefix, device: string, gateway?: Address): Route => ({
  type: "unicast",
  family: 4,
  destination,
  table: TABLE_MAIN,
  nexthops: [
    {
      device,
      weight: 1,
      flags: gateway === undefined ? [] : ["onlink"],
      ...(gateway === undefined ? {} : { gateway }),
    },
  ],
  extra: [],
  origin,
});

interface Owned {
  readonly prefix: Prefix;
  readonly port: Port;
}

/**
 * Which card an address is reached by: the one that has it; for pods and other devices of a node, the one by which the
 * node would answer. VIPs on lo and dummies are nobody's to the underlay (trace/hosts/owners.ts).
 */
function ownership(
  world: World,
  devices: ReadonlyMap<string, readonly Device[]>,
  ports: readonly Port[],
): ReadonlyMap<string, Owned> {
  const owned = new Map<string, Owned>();
  const claim = (prefix: Prefix, port: Port | undefined): void => {
    const key = formatPrefix(prefix);
    if (port !== undefined && isIpv4(prefix.address) && !owned.has(key)) owned.set(key, { prefix, port });
  };
  for (const port of ports) for (const a of port.receiver.addresses) claim(hostPrefix(a.prefix.address), port);
  for (const stack of world.stacks) {
    const host = hostOf(world, stack, ports);
    if (host === undefined) continue;
    for (const device of devices.get(stack.name) ?? []) {
      if (device.kind === "loopback" || device.kind === "dummy") continue;
      for (const { prefix } of device.addresses) {
        const port = wayOut(
          host,
          prefix.address,
          ports.filter((p) => p.stack === host),
          (p) => p.end.device,
        );
        claim(hostPrefix(prefix.address), port);
        if (device.kind === "bridge" && prefix.length < 32) claim(networkOf(prefix), port);
      }
    }
  }
  return owned;
}

/** The stack on the underlay behind which this one is: itself, its node, or what its veth leads to. */
function hostOf(
  world: World,
  stack: Stack,
  ports: readonly Port[],
  observed: readonly string[] = [],
): Stack | undefined {
  if (ports.some((p) => p.stack === stack)) return stack;
  if (observed.includes(stack.name)) return undefined;
  const linked = world.links
    .filter((l) => l.type !== "fabric" && l.ends.some((e) => e.stack === stack.name))
    .flatMap((l) => l.ends.map((e) => e.stack).filter((name) => name !== stack.name));
  for (const name of [...(stack.node === undefined ? [] : [stack.node]), ...linked]) {
    const next = world.stacks.find((s) => s.name === name);
    const found = next === undefined ? undefined : hostOf(world, next, ports, [...observed, stack.name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function denied(world: World, remarks: Remarks): readonly MadeRule[] {
  return world.fabric.deny.flatMap((d): readonly MadeRule[] => {
    const [from, to] = [d.from, d.to].map((text) => (text === undefined ? undefined : parsePrefix(text)));
    if ((d.from !== undefined && from === undefined) || (d.to !== undefined && to === undefined)) {
      remarks.add("missing", undefined, `the fabric's rule against ${d.from ?? "any"} to ${d.to ?? "any"}`);
      return [];
    }
    const base = { ...(from && { from }), ...(to && { to }), target: { kind: "drop" } as const };
    if (d.port === undefined) return [base];
    const dport = { value: singlePort(d.port), negated: false };
    return [
      { ...base, protocol: PROTO.tcp, matches: [{ kind: "tcp", dport }] },
      { ...base, protocol: PROTO.udp, matches: [{ kind: "udp", dport }] },
    ];
  });
}

/** Source check: a card may not send with an address that is known to be another card's, its own node's pods excepted. */
function foreignSources(world: World, ports: readonly Port[], owned: ReadonlyMap<string, Owned>): readonly MadeRule[] {
  if (!world.fabric.srcDstCheck) return [];
  const podsOf = (stack: Stack): readonly Address[] =>
    world.stacks
      .filter((s) => s.node === stack.name)
      .flatMap((s) => s.devices.items.flatMap((d) => d.addresses.map((a) => a.prefix.address)));
  return ports.flatMap((port) => {
    const mine = new Set([...port.receiver.addresses.map((a) => a.prefix.address), ...podsOf(port.stack)]);
    return [...owned.values()]
      .filter(({ prefix }) => prefix.length === 32 && !mine.has(prefix.address))
      .map(({ prefix }): MadeRule => ({ in: port.name, from: prefix, target: { kind: "drop" } }));
  });
}

/** The mark of what leaves for a public load balancer, to be given the public address once its target is known. */
const LEAVING = 0x20000;

const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"].map((text) => parsePrefix(text)!);

function leaving(world: World, ports: readonly Port[]): readonly MadeRule[] {
  if (world.fabric.egressNat === undefined) return [];
  const publicOnes = world.loadBalancers.filter((b) => !PRIVATE.some((p) => contains(p, b.address)));
  return publicOnes.flatMap((balancer) =>
    ports
      .filter((p) => p.stack.assumed === undefined)
      .map(
        (p): MadeRule => ({
          in: p.name,
          to: hostPrefix(balancer.address),
          target: { kind: "mark", value: LEAVING, mask: LEAVING },
        }),
      ),
  );
}

function egress(world: World, ports: readonly Port[]): readonly MadeRule[] {
  const address = world.fabric.egressNat;
  if (address === undefined) return [];
  const target = {
    kind: "snat",
    to: { addresses: { from: address, to: address } },
    random: false,
    randomFully: false,
    persistent: false,
  } as const;
  return [
    { matches: [{ kind: "mark", value: LEAVING, mask: LEAVING, negated: false }], target },
    ...ports.filter((p) => p.stack.kind === "client").map((p): MadeRule => ({ out: p.name, target })),
  ];
}
