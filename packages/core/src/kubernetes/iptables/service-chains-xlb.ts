import { is } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import { ifLocal, ifNotLocal } from "../local-detector.ts";
import { addressType, comment, jump, LOOPBACK } from "../rules.ts";
import type { ProxyServicePort } from "../service-ports.ts";
import { isSince } from "../version.ts";
import type { ProxyPort } from "../view.ts";
import {
  balancingComment,
  type EndpointChain,
  endpointChains,
  writeBalancing,
  writeEndpointChain,
} from "./endpoint-chains.ts";
import { acceptHealthChecks, refuseClusterIp, refuseExternal, rejectOf } from "./filter-rules.ts";
import { writeSourceRanges } from "./firewall-chain.ts";
import { chainsOf, MARK_DROP, MARK_MASQ, NODEPORTS, type PortChains, SERVICES } from "./names.ts";
import { takesNodePorts } from "./node-ports.ts";
import { toClusterIp, toExternalIp, toLoadBalancerIp, toNodePort } from "./service-match.ts";
import { originsOf, type PortOrigins, type Sync } from "./sync.ts";

/** Rules of one Service port up to 1.23: KUBE-SVC, KUBE-XLB (Local policy only), KUBE-FW (every load balancer IP) and KUBE-SEP. */
export function writeServicePortXlb(sync: Sync, one: ProxyPort): void {
  const { port, chosen } = one;
  const chains = chainsOf(port);
  const origins = originsOf(port);
  if (port.externalPolicyLocal) sync.nat.chain(chains.xlb);
  if (!chosen.hasAny) {
    const target = rejectOf(sync.view.family);
    const refusal = { target, about: `${port.name} has no endpoints`, origin: origins.service };
    refuseClusterIp(sync, port, refusal);
    refuseExternal(sync, port, refusal);
    acceptHealthChecks(sync, port, origins.externalPolicy);
    return;
  }
  sync.nat.chain(chains.svc);
  captureClusterIp(sync, port, chains, origins);
  for (const ip of port.externalIps) captureExternalIp(sync, port, ip, chains, origins);
  for (const ip of port.loadBalancerIps) captureLoadBalancerIp(sync, port, ip, chains, origins);
  // 1.19 and 1.20 then went on to the next Service, and left this one's chains empty.
  if (port.nodePort !== undefined && !takesNodePorts(sync.view) && !isSince(sync.view.version, 21)) return;
  captureNodePort(sync, port, chains, origins);
  acceptHealthChecks(sync, port, origins.externalPolicy);

  const seps = endpointChains(port, chosen.reachable);
  const of = (endpoints: ProxyPort["endpoints"]): readonly EndpointChain[] => endpoints.map((e) => seps.get(e)!);
  writeBalancing(sync, port, chains.svc, of(chosen.cluster), origins.affinity);
  for (const sep of seps.values()) writeEndpointChain(sync, port, sep);
  if (port.externalPolicyLocal) writeLocalPolicyChain(sync, port, of(chosen.local), chains, origins);
}

/** Where the rules that mark for masquerading stand: before the jump up to 1.21, in the chain it leads to from 1.22. */
const markingChain = (sync: Sync, before: string, after: string): string =>
  isSince(sync.view.version, 22) ? after : before;

function captureClusterIp(sync: Sync, port: ProxyServicePort, { svc }: PortChains, origins: PortOrigins): void {
  const { nat, view } = sync;
  const origin = origins.clusterIp;
  const destination = toClusterIp(port);
  const outside = view.config.masqueradeAll ? {} : ifNotLocal(view.detector);
  if (outside !== undefined)
    nat.append(markingChain(sync, SERVICES, svc), { ...outside, ...destination, target: jump(MARK_MASQ) }, origin);
  nat.append(SERVICES, { ...destination, target: jump(svc) }, origin);
}

function captureExternalIp(
  sync: Sync,
  port: ProxyServicePort,
  ip: Address,
  { svc, xlb }: PortChains,
  origins: PortOrigins,
): void {
  const { nat, view } = sync;
  const origin = origins.externalIp;
  const destination = toExternalIp(port, ip);
  if (!port.externalPolicyLocal) {
    // From 1.21 pods keep their address, where it is known who is one.
    const outside = isSince(view.version, 21) ? (ifNotLocal(view.detector) ?? {}) : {};
    nat.append(markingChain(sync, SERVICES, svc), { ...outside, ...destination, target: jump(MARK_MASQ) }, origin);
  }
  const target = jump(port.externalPolicyLocal ? xlb : svc);
  if (isSince(view.version, 21)) {
    nat.append(SERVICES, { ...destination, target }, origin);
    return;
  }
  // Off-machine traffic: neither from a bridge nor from the node; or to an address that the node has.
  const notBridged = { kind: "physdev", isIn: { negated: true } } as const;
  const offMachine = [...destination.matches, notBridged, addressType("source", "LOCAL", true)];
  nat.append(SERVICES, { ...destination, matches: offMachine, target }, origin);
  const own = [...destination.matches, addressType("destination", "LOCAL")];
  nat.append(SERVICES, { ...destination, matches: own, target }, origin);
}

function captureLoadBalancerIp(
  sync: Sync,
  port: ProxyServicePort,
  ip: Address,
  { fw, svc, xlb }: PortChains,
  origins: PortOrigins,
): void {
  const { nat } = sync;
  nat.append(SERVICES, { ...toLoadBalancerIp(port, ip), target: jump(fw) }, origins.service);
  const matches = [comment(`${port.name} loadbalancer IP`)];
  const next = port.externalPolicyLocal ? xlb : svc;
  if (!port.externalPolicyLocal) nat.append(fw, { matches, target: jump(MARK_MASQ) }, origins.externalPolicy);
  if (port.sourceRanges.length === 0) nat.append(fw, { matches, target: jump(next) }, origins.service);
  else writeSourceRanges(sync, port, fw, next, [ip], origins);
  nat.append(fw, { matches, target: jump(MARK_DROP) }, origins.sourceRanges);
}

function captureNodePort(sync: Sync, port: ProxyServicePort, { svc, xlb }: PortChains, origins: PortOrigins): void {
  const { nat, view } = sync;
  if (port.nodePort === undefined || !takesNodePorts(view)) return;
  const origin = origins.service;
  const destination = toNodePort(port, port.nodePort);
  if (port.externalPolicyLocal) {
    const loopback = { source: is(LOOPBACK[view.family]) };
    nat.append(NODEPORTS, { ...loopback, ...destination, target: jump(MARK_MASQ) }, origin);
    nat.append(NODEPORTS, { ...destination, target: jump(xlb) }, origin);
    return;
  }
  nat.append(markingChain(sync, NODEPORTS, svc), { ...destination, target: jump(MARK_MASQ) }, origin);
  nat.append(NODEPORTS, { ...destination, target: jump(svc) }, origin);
}

/** KUBE-XLB-…: pods and the node go to all endpoints, others to local ones. */
function writeLocalPolicyChain(
  sync: Sync,
  port: ProxyServicePort,
  local: readonly EndpointChain[],
  { svc, xlb }: PortChains,
  origins: PortOrigins,
): void {
  const { nat, view } = sync;
  const origin = origins.externalPolicy;
  const fromPod = ifLocal(view.detector);
  if (fromPod !== undefined) {
    const matches = [comment("Redirect pods trying to reach external loadbalancer VIP to clusterIP")];
    nat.append(xlb, { ...fromPod, matches, target: jump(svc) }, origin);
  }
  const fromNode = addressType("source", "LOCAL");
  const masquerade = [comment(`masquerade LOCAL traffic for ${port.name} LB IP`), fromNode];
  nat.append(xlb, { matches: masquerade, target: jump(MARK_MASQ) }, origin);
  const route = [comment(`route LOCAL traffic for ${port.name} LB IP to service chain`), fromNode];
  nat.append(xlb, { matches: route, target: jump(svc) }, origin);
  if (local.length === 0) {
    const matches = [comment(`${port.name} has no local endpoints`)];
    nat.append(xlb, { matches, target: jump(MARK_DROP) }, origin);
    return;
  }
  const old = !isSince(view.version, 23);
  const about = old
    ? (_: unknown, i: number) => [comment(`Balancing rule ${i} for ${port.name}`)]
    : balancingComment(sync, port);
  const aboutAffinity = old ? () => [comment(port.name)] : about;
  writeBalancing(sync, port, xlb, local, origins.affinity, about, aboutAffinity);
}
