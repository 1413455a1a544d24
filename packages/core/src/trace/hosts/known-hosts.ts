import { memo } from "../../datapath/index.ts";
import {
  type DeviceKind,
  isClusterIpRule,
  isOver,
  type KubernetesObjects,
  type Netfilter,
  PROXY_CHAIN,
  type Stack,
  type World,
} from "../../model/index.ts";
import {
  type Address,
  contains,
  type Family,
  familyOf,
  isHost,
  isIpv4,
  networkOf,
  parsePrefix,
} from "../../net/index.ts";
import { isUnderlay } from "./topology.ts";

/** Who has seen a host of which there is no dump. */
export type Knowledge = "object" | "neighbour";

const objects = new WeakMap<KubernetesObjects, ReadonlySet<Address>>();

/** Pods that run, endpoints that are served, nodes. */
const namedByObjects = (kubernetes: KubernetesObjects): ReadonlySet<Address> =>
  memo(objects, kubernetes, () => {
    const pods = kubernetes.pods.filter((p) => p.phase !== "Failed" && p.phase !== "Succeeded");
    const served = kubernetes.endpoints.flatMap((s) => s.endpoints).filter((e) => e.ready || e.serving);
    return new Set([...pods, ...served, ...kubernetes.nodes].flatMap((o) => o.addresses));
  });

const seen = new WeakMap<Stack, ReadonlySet<Address>>();

const GONE: readonly string[] = ["FAILED", "INCOMPLETE", "NONE"];

/** Whom a stack's neighbour table has with a MAC. */
export const neighboursOf = (stack: Stack): ReadonlySet<Address> =>
  memo(seen, stack, () => {
    const there = stack.neighbours.items.filter(
      (n) => n.mac !== undefined && !n.proxy && !n.states.some((s) => GONE.includes(s)),
    );
    return new Set(there.map((n) => n.address));
  });

/** What is known of a host beside that somebody sends to it. */
export function knowledgeOf(world: World, address: Address): Knowledge | undefined {
  if (namedByObjects(world.kubernetes).has(address)) return "object";
  return world.stacks.some((s) => s.assumed === undefined && neighboursOf(s).has(address)) ? "neighbour" : undefined;
}

const peers = new WeakMap<Stack, ReadonlySet<Address>>();

const TUNNELS: ReadonlySet<DeviceKind> = new Set<DeviceKind>(["vxlan", "ipip", "gre", "ip6tnl", "ip6gre"]);

/** The far ends of a stack's tunnels on the underlay. */
const peersOf = (stack: Stack): ReadonlySet<Address> =>
  memo(peers, stack, () => {
    const { devices, fdb, routeTables } = stack;
    const tunnels = devices.items.filter((d) => TUNNELS.has(d.kind));
    const names = new Set(tunnels.map((d) => d.name));
    // Behind a vxlan device a next hop is an address of the overlay.
    const layer3 = new Set(tunnels.filter((d) => d.kind !== "vxlan").map((d) => d.name));
    const hops = routeTables.flatMap((t) => t.routes.flatMap((r) => r.nexthops));
    return new Set(
      [
        ...tunnels.map((d) => d.tunnel?.remote),
        ...fdb.items.filter((e) => names.has(e.device)).map((e) => e.destination),
        ...hops.filter((n) => n.device !== undefined && layer3.has(n.device)).map((n) => n.gateway),
      ].filter((a) => a !== undefined),
    );
  });

/** Whether a node that was shown has a tunnel to this address: another node, of which nothing was. */
export const isTunnelPeer = ({ stacks }: World, address: Address): boolean =>
  stacks.some((s) => s.kind === "node" && s.assumed === undefined && peersOf(s).has(address));

/** Whether objects say that a pod serves this very port. */
export const servesPort = ({ kubernetes }: World, address: Address, protocol: number, port: number): boolean =>
  kubernetes.endpoints.some(
    (s) =>
      s.ports.some((p) => p.protocol === protocol && (p.port === undefined || p.port === port)) &&
      s.endpoints.some((e) => (e.ready || e.serving) && e.addresses.some((a) => a === address)),
  ) ||
  kubernetes.pods.some(
    (p) => p.addresses.some((a) => a === address) && p.ports?.some((c) => c.protocol === protocol && c.port === port),
  );

const hosts = new WeakMap<KubernetesObjects, ReadonlyMap<Address, string | undefined>>();

/** The node that objects say hosts an address. */
export const hostedBy = ({ kubernetes }: World, address: Address): string | undefined =>
  memo(hosts, kubernetes, () => {
    const { nodes, pods, endpoints } = kubernetes;
    const found = new Map<Address, string | undefined>();
    const note = (addresses: readonly Address[], node: string | undefined): void => {
      for (const a of addresses) if (found.get(a) === undefined) found.set(a, node);
    };
    for (const { addresses, name } of nodes) note(addresses, name);
    for (const p of pods) if (!isOver(p)) note(p.addresses, p.nodeName);
    for (const e of endpoints.flatMap((s) => s.endpoints)) note(e.addresses, e.nodeName);
    for (const p of pods) note(p.addresses, p.nodeName);
    return found;
  }).get(address);

/**
 * Whether an address belongs to the cluster by what was shown: a pod network of an object, or one that a node has a route of its
 * own for, other than by being on a card's network.
 */
export function isInternal(world: World, address: Address): boolean {
  const { nodes } = world.kubernetes;
  if (nodes.some((n) => n.podCidrs.some((c) => within(c, address)))) return true;
  return world.stacks.some((s) => s.kind === "node" && routeOf(s, address));
}

const within = (cidr: string, address: Address): boolean => {
  const prefix = parsePrefix(cidr);
  return prefix !== undefined && contains(prefix, address);
};

/** Another node, shown, that has a route of its own to an address: no default one, nor by a card's network. */
export const routedElsewhere = (world: World, than: string, address: Address): string | undefined =>
  world.stacks.find((s) => s.kind === "node" && s.name !== than && s.assumed === undefined && routeOf(s, address))
    ?.name;

/** The first two nodes, shown, that have a route of their own to an address. */
export function routersTo({ stacks }: World, address: Address): readonly string[] {
  const found: string[] = [];
  for (const s of stacks)
    if (s.kind === "node" && s.assumed === undefined && routeOf(s, address) && found.push(s.name) === 2) break;
  return found;
}

/** Networks of one length that a stack has a route of its own for. */
type Networks = ReadonlyMap<number, ReadonlySet<Address>>;

/** Kept by stack: whoever asks has every node of the cluster look. */
const ownNetworks = new WeakMap<Stack, { readonly 4: Networks; readonly 6: Networks }>();

const routeOf = (stack: Stack, address: Address): boolean => {
  const known = memo(ownNetworks, stack, () => ({ 4: networksBehind(stack, 4), 6: networksBehind(stack, 6) }));
  for (const [length, networks] of known[familyOf(address)])
    if (networks.has(networkOf({ address, length }).address)) return true;
  return false;
};

function networksBehind(stack: Stack, family: Family): Networks {
  const found = new Map<number, Set<Address>>();
  for (const { routes } of stack.routeTables)
    for (const { type, destination, nexthops } of routes) {
      if (type !== "unicast" || destination.length === 0 || familyOf(destination.address) !== family) continue;
      const [hop] = nexthops;
      const device = stack.devices.items.find((d) => d.name === hop?.device);
      const behind = device !== undefined && (device.kind === "bridge" || !isUnderlay(device));
      if (hop?.gateway === undefined && !(behind && device.kind !== "loopback")) continue;
      const { address } = networkOf(destination);
      memo(found, destination.length, () => new Set<Address>()).add(address);
    }
  return found;
}

const clusterAddresses = new WeakMap<Netfilter, ReadonlySet<Address>>();

/** Services are numbered within a network that is rarely smaller. */
const around = (address: Address): Address => networkOf({ address, length: 16 }).address;

/** Around which addresses kube-proxy's rules have cluster IPs. */
const networksOf = (netfilter: Netfilter): ReadonlySet<Address> =>
  memo(clusterAddresses, netfilter, () => {
    const found = new Set<Address>();
    for (const table of netfilter.tables.filter((t) => t.name === "nat" && t.family === 4))
      for (const rule of table.chains.find((c) => c.name === PROXY_CHAIN.services)?.rules ?? []) {
        const named = isClusterIpRule(rule);
        const address = named ? rule.destination?.value.address : undefined;
        if (address !== undefined && isIpv4(address)) found.add(around(address));
      }
    return found;
  });

/** An address among those of known Services, and of no network that anybody has a route for: Services are all it can be. */
export function isNearServices(world: World, address: Address): boolean {
  if (!isIpv4(address) || isInternal(world, address)) return false;
  const connected = world.stacks.some((s) =>
    s.devices.items.some((d) => d.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, address))),
  );
  if (connected) return false;
  const network = around(address);
  return (
    world.kubernetes.services.some((s) => s.clusterIps.some((a) => isIpv4(a) && around(a) === network)) ||
    world.stacks.some((s) => networksOf(s.netfilter).has(network))
  );
}
