import type { Device, Stack, World } from "../model/index.ts";
import {
  type Address,
  contains,
  type Family,
  familyOf,
  formatAddress,
  isHost,
  isIpv4,
  isLinkLocal,
  lengthOfMask,
  maxLength,
  networkOf,
  offset,
  type Prefix,
} from "../net/index.ts";

/** One of the two that are compared: a node within its World. */
export interface Side {
  readonly world: World;
  readonly node: Stack;
  /** Facts the user settled. */
  readonly settled: ReadonlyMap<string, string>;
}

const isVirtual = (d: Device): boolean => d.kind === "loopback" || d.kind === "dummy";

/** The node's own addresses, those it is known by first; no VIPs that are bound to a dummy. */
export function ownAddresses(node: Stack, family?: Family): readonly Address[] {
  const cards = node.devices.items.filter((d) => !isVirtual(d));
  const last = (d: Device): number => Number(d.kind === "bridge" || d.kind === "veth" || d.tunnel !== undefined);
  return [...cards]
    .sort((x, y) => last(x) - last(y))
    .flatMap((d) => d.addresses.map((a) => a.prefix.address))
    .filter((a) => (family === undefined || familyOf(a) === family) && (isIpv4(a) || !isLinkLocal(a)));
}

/** Addresses of pods on the node in one family, as far as dumps, objects, routes and rules tell. */
export function podAddresses({ world, node }: Side, family: Family): readonly Address[] {
  const found: Address[] = [];
  const add = (a: Address | undefined): void => {
    if (a !== undefined && familyOf(a) === family && (isIpv4(a) || !isLinkLocal(a)) && !found.some((f) => f === a))
      found.push(a);
  };
  for (const s of world.stacks) {
    if (s.kind !== "pod" || s.node !== node.name || s.assumed !== undefined) continue;
    for (const d of s.devices.items) if (!isVirtual(d)) for (const a of d.addresses) add(a.prefix.address);
  }
  for (const p of world.kubernetes.pods)
    if (p.nodeName === node.name && !p.hostNetwork) for (const a of p.addresses) add(a);
  const pods = node.devices.items.filter((d) => d.kind === "veth" || d.kind === "unknown").map((d) => d.name);
  for (const table of node.routeTables) {
    for (const r of table.routes) {
      const [hop] = r.nexthops;
      if (r.type !== "unicast" || !isHost(r.destination) || hop?.gateway !== undefined) continue;
      if (hop?.device !== undefined && pods.includes(hop.device)) add(r.destination.address);
    }
  }
  for (const d of node.devices.items) {
    if (d.kind !== "bridge") continue;
    for (const { prefix } of d.addresses)
      if (prefix.length < maxLength(prefix.address) - 1) add(inside(prefix, [prefix.address]));
  }
  return found;
}

/** Pod networks that kube-proxy's masquerade rules name: `! -s 10.244.0.0/16`. */
export function clusterNetworks(node: Stack, family: Family): readonly Prefix[] {
  const found = new Map<string, Prefix>();
  for (const table of node.netfilter.tables) {
    if (table.family !== family || table.name !== "nat") continue;
    for (const chain of table.chains) {
      for (const { source } of chain.rules) {
        if (source === undefined || !source.negated) continue;
        const length = lengthOfMask(source.value.mask);
        if (length !== undefined && length > 0 && length < maxLength(source.value.address) - 1)
          found.set(formatAddress(source.value.address), { address: source.value.address, length });
      }
      if (found.size > 3) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** An address of a network that is not one of those given. */
export function inside(prefix: Prefix, not: readonly Address[] = []): Address {
  const base = networkOf(prefix).address;
  if (isHost(prefix)) return base;
  const size = 2 ** (maxLength(base) - prefix.length);
  for (const by of [9, 5, 3, 2, 1, 77, 0]) {
    if (by >= size) continue;
    const address = offset(base, by);
    if (!not.includes(address)) return address;
  }
  return base;
}

export const isOwn = (node: Stack, address: Address): boolean =>
  node.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address));

export const covers = (prefixes: readonly Prefix[] | undefined, address: Address): boolean =>
  prefixes?.some((p) => contains(p, address)) === true;
