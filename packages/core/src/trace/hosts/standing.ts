import {
  assumed,
  type Device,
  isTunnel,
  type Route,
  rulesNaming,
  rulesSaying,
  type Stack,
  TABLE_MAIN,
  type World,
} from "../../model/index.ts";
import { type Address, contains, familyOf, hostPrefix, parsePrefix } from "../../net/index.ts";
import { isOwn } from "./home.ts";
import { madeDevice } from "./made-device.ts";
import { homeOfPod } from "./owners.ts";
import { isUnderlay } from "./topology.ts";

/** Behind which device of a node somebody stands of whom nothing but an address is known. */
export interface Standing {
  readonly stack: Stack;
  readonly device: Device;
}

const GONE: readonly string[] = ["FAILED", "INCOMPLETE", "NONE"];

/** What leads to a pod or a VM, and to nobody else: no card, no tunnel, nothing of the node's own. */
const isWorkload = (d: Device): boolean =>
  d.kind === "bridge" || (!isUnderlay(d) && !isTunnel(d) && d.kind !== "loopback" && d.kind !== "dummy");

const workload = (stack: Stack, name: string | undefined): Device | undefined => {
  const device = stack.devices.items.find((d) => d.name === name);
  return device !== undefined && isWorkload(device) ? device : undefined;
};

export type StandingHint = (stack: Stack, address: Address, world: World) => readonly Device[];

const found = (device: Device | undefined): readonly Device[] => (device === undefined ? [] : [device]);

/** Its packets were logged or captured as they came in. */
const bySighting: StandingHint = (stack, address) =>
  (stack.sightings ?? []).flatMap((s) => (s.source === address ? found(workload(stack, s.device)) : []));

const byNeighbour: StandingHint = (stack, address) => {
  const entry = stack.neighbours.items.find(
    (n) => n.address === address && n.mac !== undefined && !n.proxy && !n.states.some((s) => GONE.includes(s)),
  );
  return found(workload(stack, entry?.device));
};

/** A neighbour table of any machine has its MAC, and the node's bridge has learnt by which port that comes in. */
const byFdb: StandingHint = (stack, address, { stacks }) => {
  const macs = new Set(
    stacks.flatMap((s) => s.neighbours.items.flatMap((n) => (n.address === address && !n.proxy ? (n.mac ?? []) : []))),
  );
  return stack.fdb.items
    .filter((e) => macs.has(e.mac) && e.destination === undefined)
    .flatMap((e) => found(workload(stack, e.master ?? e.device)));
};

/** A connected route is the card's network; one to another device says who is behind it. */
const byRoute: StandingHint = (stack, address) => {
  const [best] = stack.routeTables
    .flatMap((t) => t.routes)
    .filter((r) => r.type === "unicast" && r.destination.length > 0 && contains(r.destination, address))
    .sort((a, b) => b.destination.length - a.destination.length);
  const hop = best?.nexthops[0];
  const here = hop?.gateway === undefined || isOwn(stack, hop.gateway);
  return here ? found(workload(stack, hop?.device)) : [];
};

/** A rule of the node takes packets from this very address, or from its network, on a device. */
const byRule: StandingHint = (stack, address) => {
  for (const table of stack.netfilter.tables) {
    for (const { rule } of rulesNaming(table, address)) {
      const { source, inInterface } = rule;
      if (source === undefined || source.negated || inInterface?.negated !== false) continue;
      const device = workload(stack, inInterface.value);
      if (device !== undefined && device.kind !== "bridge" && source.value.address === address) return [device];
    }
  }
  return [];
};

/** The node's own block, and a veth that leads to nobody known. */
const byBlock: StandingHint = (stack, address, world) => {
  if (!isOwnBlock(stack, address, world)) return [];
  const linked = new Set(world.links.flatMap((l) => l.ends.filter((e) => e.stack === stack.name).map((e) => e.device)));
  const routed = new Set(stack.routeTables.flatMap((t) => t.routes.flatMap((r) => r.nexthops.map((h) => h.device))));
  const bare = stack.devices.items.find(
    (d) =>
      (d.kind === "veth" || d.kind === "tap") && d.master === undefined && !linked.has(d.name) && !routed.has(d.name),
  );
  return [bare ?? { ...VETH, name: madeDevice("veth", address) }];
};

const VETH: Device = {
  name: "veth",
  kind: "veth",
  up: true,
  carrier: true,
  addresses: [],
  addressesKnown: true,
  origin: assumed("near end of a pod in the node's own block"),
};

/** As its Node object says, flannel's file, or the route that refuses what no pod of the block has. */
function isOwnBlock({ name, routeTables }: Stack, address: Address, { kubernetes }: World): boolean {
  const cidrs = kubernetes.nodes.filter((n) => n.name === name).flatMap((n) => n.podCidrs.map(parsePrefix));
  const flannel = kubernetes.flannelSubnets.filter((s) => s.node === name).flatMap((s) => s.subnets);
  if ([...cidrs, ...flannel].some((p) => p !== undefined && contains(p, address))) return true;
  return routeTables.some((t) =>
    t.routes.some((r) => r.type === "blackhole" && r.destination.length > 0 && contains(r.destination, address)),
  );
}

/** What was seen, what routes and blocks say, and what rules name. */
export const HINTS = {
  seen: [bySighting, byNeighbour, byFdb],
  routed: [byRoute],
  ruled: [byRule, byBlock],
} as const satisfies Record<string, readonly StandingHint[]>;

const SIGNS: readonly StandingHint[] = [...HINTS.seen, ...HINTS.routed, ...HINTS.ruled];

/**
 * Where a client stands whom no device, bridge or object places: by who saw it, before it is taken to be outside. `at`: the node that
 * the question names.
 */
export function standingOf(world: World, address: Address, at: Stack | undefined): Standing | undefined {
  if (homeOfPod(world, address) !== undefined) return undefined;
  const nodes = world.stacks.filter(
    (s) => s.kind === "node" && s.assumed === undefined && s.fromObjects !== true && (at === undefined || s === at),
  );
  for (const sign of SIGNS) {
    for (const stack of nodes) {
      const [device] = sign(stack, address, world);
      if (device !== undefined) return { stack, device };
    }
  }
  return undefined;
}

/** The node with that device, and a way back to whom stands behind it: the question says that he is there. */
export function withStanding(world: World, { stack, device }: Standing, address: Address): World {
  const known = stack.devices.items.some((d) => d.name === device.name);
  const reached = device.kind === "bridge" || byRoute(stack, address, world)[0]?.name === device.name;
  if (known && reached) return world;
  const route: Route = {
    type: "unicast",
    family: familyOf(address),
    destination: hostPrefix(address),
    table: TABLE_MAIN,
    scope: "link",
    nexthops: [{ device: device.name, weight: 1, flags: [] }],
    extra: [],
    origin: assumed("way back to a pod of whom only its address is known"),
  };
  const grown: Stack = {
    ...stack,
    devices: known ? stack.devices : { ...stack.devices, items: [...stack.devices.items, device] },
    routeTables: reached
      ? stack.routeTables
      : stack.routeTables.map((t) =>
          t.id === TABLE_MAIN && t.family === route.family ? { ...t, routes: [...t.routes, route] } : t,
        ),
  };
  return { ...world, stacks: world.stacks.map((s) => (s === stack ? grown : s)) };
}

/** Devices that rules, logs or captures name and no list shows: a packet may come in by them all the same. */
export function namedDevice(stack: Stack, name: string): Device | undefined {
  const inRules = stack.netfilter.tables.some((t) =>
    [...rulesSaying(t, name)].some(
      ({ rule: { inInterface, outInterface, matches } }) =>
        inInterface?.value === name ||
        outInterface?.value === name ||
        matches.some((m) => m.kind === "physdev" && (m.in?.value === name || m.out?.value === name)),
    ),
  );
  const observed = stack.sightings?.some((s) => s.device === name) === true;
  if (!inRules && !observed) return undefined;
  return {
    ...VETH,
    name,
    kind: "unknown",
    addressesKnown: false,
    origin: assumed("device that only its name is known of"),
  };
}
