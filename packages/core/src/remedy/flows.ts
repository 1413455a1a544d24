import { type KubernetesPod, PROXY_CHAIN, type Stack, TABLE_MAIN, type World } from "../model/index.ts";
import {
  type Address,
  familyOf,
  formatAddress,
  formatEndpoint,
  ipv4Of,
  isHost,
  isHostMask,
  isIpv4,
  parseAddress,
  protocolName,
} from "../net/index.ts";
import type { Question, QuestionSpec } from "../trace/index.ts";

/** A flow that ought to be known to work or not: as it would be asked. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly proto: string;
  /** Asked with more than that: the node it arrives at, a device it is bound to. */
  readonly rest?: QuestionSpec;
}

export const specOf = ({ from, to, proto, rest }: Flow): QuestionSpec => ({ ...rest, from, to, proto });

interface Destination {
  readonly address: Address;
  readonly port: number;
  readonly protocol: number;
}

const destinationText = ({ address, port }: Destination): string => formatEndpoint(address, port);

/** An address asks for one of its own family. */
function canAsk(from: string, { address }: Destination): boolean {
  const own = parseAddress(from);
  return own === undefined || familyOf(own) === familyOf(address);
}

/**
 * One flow of each class: every Service address and every endpoint, called by each node, a pod of each node, every host
 * that stands for itself, and somebody outside; and the way out. What `first` names comes first. Lazily: there may be
 * more than anybody wants to walk.
 */
export function* knownFlows(world: World, question: Question, first: readonly Flow[]): Generator<Flow> {
  const seen = new Set<string>();
  const fresh = (flow: Flow): boolean => {
    const key = JSON.stringify([flow.from, flow.to, flow.proto, flow.rest ?? null]);
    return !seen.has(key) && seen.add(key) !== undefined;
  };
  for (const flow of first) if (fresh(flow)) yield flow;
  const callers = clientsOf(world);
  const query: Destination = { address: question.to, port: question.port, protocol: question.protocol };
  const destinations = [...(question.port === 0 ? [] : [query]), ...destinationsOf(world)];
  for (const d of spread(destinations)) {
    for (const from of callers.filter((c) => canAsk(c, d))) {
      const flow = { from, to: destinationText(d), proto: protocolName(d.protocol) };
      if (fresh(flow)) yield flow;
    }
  }
  const outside = freeAddress(world);
  for (const from of callers.filter((c) => c !== "external")) {
    const flow = { from, to: `${formatAddress(outside)}:443`, proto: "tcp" };
    if (fresh(flow)) yield flow;
  }
}

/** The first few in order, the rest from all over the list: neighbours in a list are made alike. */
function* spread<T>(items: readonly T[]): Generator<T> {
  const taken = new Set<number>();
  for (let i = 0; i < Math.min(4, items.length); i++) {
    taken.add(i);
    yield items[i]!;
  }
  for (let step = items.length; step >= 1; step = step >>> 1) {
    for (let i = step - 1; i < items.length; i += step) {
      if (taken.has(i)) continue;
      taken.add(i);
      yield items[i]!;
    }
  }
}

const nameOf = (stack: Stack): string => (stack.kind === "node" ? `node/${stack.name}` : `stack/${stack.name}`);

/** A node, a pod of it, every VM and client, and somebody outside. */
function clientsOf(world: World): readonly string[] {
  const real = world.stacks.filter((s) => s.assumed === undefined);
  const clients: string[] = [];
  const pods = firstByNode(world.kubernetes.pods.filter((p) => !p.hostNetwork));
  const dumped = new Map(
    real
      .filter((s) => s.kind === "pod")
      .map((s) => [s.node, s] as const)
      .reverse(),
  );
  for (const node of real.filter((s) => s.kind === "node")) {
    clients.push(nameOf(node));
    const pod = podOf(node, dumped.get(node.name), pods.get(node.name));
    if (pod !== undefined) clients.push(pod);
  }
  for (const stack of real) if (stack.kind === "vm" || stack.kind === "client") clients.push(nameOf(stack));
  // One of each kind before more of the same.
  return [...new Set([...clients.slice(0, 2), "external", ...clients.slice(2)])];
}

function firstByNode(pods: readonly KubernetesPod[]): ReadonlyMap<string, KubernetesPod> {
  const found = new Map<string, KubernetesPod>();
  for (const pod of pods) if (pod.nodeName !== undefined && !found.has(pod.nodeName)) found.set(pod.nodeName, pod);
  return found;
}

/** A pod of a node: one that was dumped, one an object names, one a route to a veth leads to. */
function podOf(node: Stack, stack: Stack | undefined, object: KubernetesPod | undefined): string | undefined {
  if (stack !== undefined) return nameOf(stack);
  const address = object?.addresses.find(isIpv4);
  if (address !== undefined) return formatAddress(address);
  const veths = new Set(node.devices.items.filter((d) => d.kind === "veth").map((d) => d.name));
  const route = node.routeTables
    .filter((t) => t.id === TABLE_MAIN && t.family === 4)
    .flatMap((t) => t.routes)
    .find((r) => r.type === "unicast" && isHost(r.destination) && veths.has(r.nexthops[0]?.device ?? ""));
  return route === undefined ? undefined : formatAddress(route.destination.address);
}

/** Of each kind, and of each node, no more than this: they are made alike. */
const MAX_ALIKE = 24;

const MAX_MADE = 2;

/** Some of a list, from all over it. */
const some = <T>(items: readonly T[]): readonly T[] => {
  if (items.length <= MAX_ALIKE) return items;
  return Array.from({ length: MAX_ALIKE }, (_, i) => items[Math.floor((i * items.length) / MAX_ALIKE)]!);
};

/** Service addresses by objects, virtual services and kube-proxy's rules; load balancers; endpoints by themselves. */
function destinationsOf(world: World): Iterable<Destination> {
  const found = new Map<string, Destination>();
  const add = (address: Address | undefined, port: number | undefined, protocol: number): void => {
    if (address === undefined || port === undefined || port === 0) return;
    const d = { address, port, protocol };
    found.set(`${destinationText(d)} ${protocol}`, d);
  };
  for (const b of world.loadBalancers) for (const p of b.ports) add(b.address, p.port, p.protocol);
  const nodes = world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined);
  for (const service of some(world.kubernetes.services)) {
    for (const port of service.ports) {
      for (const address of [...service.clusterIps, ...service.loadBalancerIps, ...service.externalIps])
        add(address, port.port, port.protocol);
      for (const node of port.nodePort === undefined ? [] : nodes) add(cardAddress(node), port.nodePort, port.protocol);
    }
  }
  // What kube-proxy would have programmed is the same nearly everywhere, and made for whoever looks.
  const made = new Set(nodes.filter((n) => n.fromObjects === true).slice(0, MAX_MADE));
  for (const node of some(nodes.filter((n) => n.fromObjects !== true || made.has(n)))) {
    for (const { key, realServers } of some(node.ipvs.services)) {
      if (key.kind !== "address") continue;
      add(key.address, key.port, key.protocol);
      const server = realServers[0];
      if (server !== undefined) add(server.address, server.port, key.protocol);
    }
    fromRules(node, add);
  }
  for (const stack of world.stacks)
    for (const l of stack.kind === "pod" ? stack.listeners.items : [])
      add(l.address ?? cardAddress(stack), l.port, l.protocol);
  return found.values();
}

type Add = (address: Address | undefined, port: number | undefined, protocol: number) => void;

/** `-d ADDRESS -p tcp --dport PORT` of a chain of somebody's own: where kube-proxy and Docker name what they serve. */
function fromRules(node: Stack, add: Add): void {
  for (const table of node.netfilter.tables) {
    if (table.name !== "nat") continue;
    const own = table.chains.filter((c) => c.policy === undefined);
    const lists = own.filter((c) => c.name === PROXY_CHAIN.services || c.name === PROXY_CHAIN["node-ports"]);
    for (const chain of new Set([...lists, ...some(own)])) {
      for (const { destination, matches, protocol, target } of some(chain.rules)) {
        if (protocol === undefined || protocol.negated) continue;
        if (target.kind === "dnat") {
          add(target.to.addresses?.from, target.to.ports?.from, protocol.value);
          continue;
        }
        const port = matches.find((m) => m.kind === "tcp" || m.kind === "udp" || m.kind === "sctp");
        const dport = port?.kind === "tcp" || port?.kind === "udp" || port?.kind === "sctp" ? port.dport : undefined;
        if (dport === undefined || dport.negated || dport.value.from !== dport.value.to) continue;
        if (destination !== undefined && !destination.negated && isHostMask(destination.value.mask))
          add(destination.value.address, dport.value.from, protocol.value);
        else if (chain.name === PROXY_CHAIN["node-ports"]) add(cardAddress(node), dport.value.from, protocol.value);
      }
    }
  }
}

/** The address a node is known by: the first global one on a card. */
function cardAddress(stack: Stack): Address | undefined {
  const cards = stack.devices.items.filter((d) => !["loopback", "dummy", "bridge", "tun", "vxlan"].includes(d.kind));
  for (const device of cards) {
    const found = device.addresses.find((a) => isIpv4(a.prefix.address) && a.scope === "global");
    if (found !== undefined) return found.prefix.address;
  }
  return undefined;
}

const DOCUMENTATION = [0xc6336459, 0xcb007159, 0xc0000259].map(ipv4Of);

/** Of the documentation ranges, one that no stack has. */
function freeAddress(world: World): Address {
  const taken = new Set(
    world.stacks.flatMap((s) => s.devices.items.flatMap((d) => d.addresses.map((a) => a.prefix.address))),
  );
  return DOCUMENTATION.find((a) => !taken.has(a)) ?? DOCUMENTATION[0]!;
}
