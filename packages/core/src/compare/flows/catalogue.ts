import type { Stack } from "../../model/index.ts";
import { type Address, type Family, familyOf, ipv4Of, ipv6Of, isHostMask, PROTO } from "../../net/index.ts";
import { clusterNetworks, inside, isOwn, podAddresses, type Side } from "../side.ts";
import type { Whom } from "./flow.ts";

export interface Destination {
  readonly to: Whom;
  readonly port: number;
  readonly protocol: number;
}

/** Service addresses and node ports that are tried where a difference could touch any packet. */
const MAX_SERVICES = 12;
const MAX_NODE_PORTS = 4;

/** Documentation addresses: 198.51.100.99 and 2001:db8:ffff::99. */
const OUTSIDE: Readonly<Record<Family, Address>> = {
  4: ipv4Of(0xc6336463),
  6: ipv6Of([0x2001, 0xdb8, 0xffff, 0, 0, 0, 0, 0x99]),
};

/** Whom people of a node talk to: Services by what the node has programmed, node ports, pods, the outside, the node. */
export function destinationsOf(side: Side, family: Family): readonly Destination[] {
  const services: Destination[] = [];
  const nodePorts: Destination[] = [];
  fromRules(side.node, family, services, nodePorts);
  for (const { key } of side.node.ipvs.services) {
    if (key.kind !== "address" || familyOf(key.address) !== family) continue;
    const { port, protocol } = key;
    if (isOwn(side.node, key.address) && port >= 30000) nodePorts.push({ to: "self", port, protocol });
    else services.push({ to: { address: key.address }, port, protocol });
  }
  for (const s of side.world.kubernetes.services) {
    for (const p of s.ports) {
      const { protocol } = p;
      for (const address of [...s.clusterIps, ...s.loadBalancerIps, ...s.externalIps])
        if (familyOf(address) === family) services.push({ to: { address }, port: p.port, protocol });
      if (p.nodePort !== undefined) nodePorts.push({ to: "self", port: p.nodePort, protocol });
    }
  }
  for (const { address, ports } of side.world.loadBalancers)
    for (const { port, protocol } of familyOf(address) === family ? ports : [])
      services.push({ to: { address }, port, protocol });
  return [
    ...spread(services, MAX_SERVICES),
    ...spread(nodePorts, MAX_NODE_PORTS),
    { to: "pod", port: 80, protocol: PROTO.tcp },
    { to: { address: OUTSIDE[family] }, port: 80, protocol: PROTO.tcp },
    { to: "self", port: 22, protocol: PROTO.tcp },
  ];
}

/** Some of them, from all over the list: the first and the last always. */
function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, i) => items[Math.round((i * (items.length - 1)) / (count - 1))]!);
}

function fromRules(node: Stack, family: Family, services: Destination[], nodePorts: Destination[]): void {
  for (const table of node.netfilter.tables) {
    if (table.family !== family || table.name !== "nat") continue;
    for (const chain of table.chains) {
      if (chain.policy !== undefined) continue;
      for (const rule of chain.rules) {
        const { destination, protocol } = rule;
        if (protocol === undefined || protocol.negated || rule.target.kind !== "jump") continue;
        const port = portOf(rule.matches);
        if (port === undefined) continue;
        const to = destination?.value;
        if (destination === undefined) nodePorts.push({ to: "self", port, protocol: protocol.value });
        else if (!destination.negated && isHostMask(to!.mask))
          services.push({ to: { address: to!.address }, port, protocol: protocol.value });
      }
    }
  }
}

function portOf(
  matches: Stack["netfilter"]["tables"][number]["chains"][number]["rules"][number]["matches"],
): number | undefined {
  for (const m of matches)
    if ((m.kind === "tcp" || m.kind === "udp" || m.kind === "sctp") && m.dport?.negated === false)
      return m.dport.value.from;
  return undefined;
}

/** The pod that plays the pod on each side: the same one where both have it. */
export function podsOf(
  a: Side,
  b: Side,
  family: Family,
): { readonly a: Address | undefined; readonly b: Address | undefined } {
  const [inA, inB] = [podAddresses(a, family), podAddresses(b, family)];
  const same = inA.find((x) => inB.includes(x));
  if (same !== undefined) return { a: same, b: same };
  const network = (side: Side): Address | undefined => {
    const [first] = clusterNetworks(side.node, family);
    return first === undefined ? undefined : inside(first);
  };
  const [x, y] = [inA[0] ?? network(a), inB[0] ?? network(b)];
  return { a: x ?? y, b: y ?? x };
}
