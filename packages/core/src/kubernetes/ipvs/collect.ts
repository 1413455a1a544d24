import { derived, type Origin } from "../../model/index.ts";
import { type Address, contains, familyOf, formatAddress, isLoopback, PROTO } from "../../net/index.ts";
import { nodePortIpsOf, type ProxyNode } from "../node.ts";
import { isSince } from "../version.ts";
import type { ProxyPort, ProxyView } from "../view.ts";
import { addressPart, type KubeSet, netPart, portPart, SetBuilder } from "./sets.ts";
import { VirtualServers } from "./virtual-servers.ts";

/** A load balancer's address that this node's own processes may not use: no source range holds the node. */
export interface Barred {
  readonly address: Address;
  readonly protocol: number;
  readonly port: number;
  readonly origin: Origin;
}

export interface Collected {
  readonly sets: SetBuilder;
  readonly servers: VirtualServers;
  readonly barred: readonly Barred[];
}

/** Addresses on any device but kube-ipvs0, loopback left out (GetAllLocalAddressesExcept()). */
const ownAddresses = (node: ProxyNode, view: ProxyView): readonly Address[] =>
  (node.interfaceAddresses ?? node.addresses).filter((a) => familyOf(a) === view.family && !isLoopback(a));

/** What every Service adds to the sets and to IPVS. Follows the loop over svcPortMap in syncProxyRules(). */
export function collect(view: ProxyView): Collected {
  const own = ownAddresses(view.node, view);
  const nodeIps = view.nodePortAddresses.matchAll
    ? own
    : nodePortIpsOf(view.nodePortAddresses, view.node).filter((a) => familyOf(a) === view.family && !isLoopback(a));
  const sets = new SetBuilder();
  const servers = new VirtualServers(view);
  const barred: Barred[] = [];
  const isOwn = new Set(own.map(formatAddress));
  // Since 1.27 an address that another device has is served and not bound a second time.
  const bindIfFree = (address: Address): void => {
    if (!isSince(view.version, 27) || !isOwn.has(formatAddress(address))) servers.bind(address);
  };
  for (const pp of view.ports) {
    const { port } = pp;
    const { protocol } = port;
    const origin = derived("kube-proxy serves this Service port", port.service.origin);
    for (const e of pp.endpoints) {
      if (!e.isLocal) continue;
      const address = addressPart(e.address);
      sets.add("LOOP-BACK", derived("a local endpoint", e.origin), address, portPart(protocol, e.port), address);
    }
    sets.add("CLUSTER-IP", origin, addressPart(port.clusterIp), portPart(protocol, port.port));
    servers.add(pp, port.clusterIp, port.port, port.internalPolicyLocal, origin);
    servers.bind(port.clusterIp);
    for (const address of port.externalIps) {
      const set = port.externalPolicyLocal ? "EXTERNAL-IP-LOCAL" : "EXTERNAL-IP";
      sets.add(set, origin, addressPart(address), portPart(protocol, port.port));
      servers.add(pp, address, port.port, port.externalPolicyLocal, origin);
      bindIfFree(address);
    }
    for (const address of port.loadBalancerIps) {
      loadBalancer(view, pp, address, origin, sets, barred);
      servers.add(pp, address, port.port, port.externalPolicyLocal, origin);
      bindIfFree(address);
    }
    // Without an address for it kube-proxy also forgets the health check port (`continue`).
    if (port.nodePort !== undefined && nodeIps.length === 0) continue;
    if (port.nodePort !== undefined) {
      nodePort(pp, port.nodePort, nodeIps, origin, sets);
      for (const address of nodeIps) servers.add(pp, address, port.nodePort, port.externalPolicyLocal, origin);
    }
    if (port.healthCheckNodePort !== undefined)
      sets.add("HEALTH-CHECK-NODE-PORT", origin, portPart(undefined, port.healthCheckNodePort));
  }
  for (const address of servers.addresses)
    sets.add("IPVS-IPS", derived("an address of kube-ipvs0"), addressPart(address));
  return { sets, servers, barred };
}

function loadBalancer(
  view: ProxyView,
  { port }: ProxyPort,
  address: Address,
  origin: Origin,
  sets: SetBuilder,
  barred: Barred[],
): void {
  const parts = [addressPart(address), portPart(port.protocol, port.port)];
  sets.add("LOAD-BALANCER", origin, ...parts);
  if (port.externalPolicyLocal) sets.add("LOAD-BALANCER-LOCAL", origin, ...parts);
  if (port.sourceRanges.length === 0) return;
  sets.add("LOAD-BALANCER-FW", origin, ...parts);
  for (const range of port.sourceRanges) sets.add("LOAD-BALANCER-SOURCE-CIDR", origin, ...parts, netPart(range));
  const { nodeIp } = view;
  if (nodeIp !== undefined && port.sourceRanges.some((r) => contains(r, nodeIp)))
    sets.add("LOAD-BALANCER-SOURCE-IP", origin, ...parts, addressPart(address));
  else barred.push({ address, protocol: port.protocol, port: port.port, origin });
}

const NODE_PORT_SETS: Readonly<Record<number, readonly [all: KubeSet, local: KubeSet]>> = {
  [PROTO.tcp]: ["NODE-PORT-TCP", "NODE-PORT-LOCAL-TCP"],
  [PROTO.udp]: ["NODE-PORT-UDP", "NODE-PORT-LOCAL-UDP"],
  [PROTO.sctp]: ["NODE-PORT-SCTP-HASH", "NODE-PORT-LOCAL-SCTP-HASH"],
};

/** A bitmap knows no SCTP, so its ports stand with every address of the node. */
function nodePort(
  { port }: ProxyPort,
  number: number,
  nodeIps: readonly Address[],
  origin: Origin,
  sets: SetBuilder,
): void {
  const names = NODE_PORT_SETS[port.protocol];
  for (const set of port.externalPolicyLocal ? (names ?? []) : (names?.slice(0, 1) ?? [])) {
    if (port.protocol === PROTO.sctp)
      for (const a of nodeIps) sets.add(set, origin, addressPart(a), portPart(port.protocol, number));
    else sets.add(set, origin, portPart(undefined, number));
  }
}
