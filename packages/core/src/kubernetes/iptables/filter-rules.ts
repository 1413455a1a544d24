import { is, type Origin, type Target } from "../../model/index.ts";
import { PROTO } from "../../net/index.ts";
import { ACCEPT, comment, transport } from "../rules.ts";
import type { ProxyServicePort } from "../service-ports.ts";
import { isSince } from "../version.ts";
import { EXTERNAL_SERVICES, NODEPORTS, SERVICES } from "./names.ts";
import { takesNodePorts } from "./node-ports.ts";
import { toAddress, toLocalNodePort } from "./service-match.ts";
import type { Sync } from "./sync.ts";

export const rejectOf = (family: 4 | 6): Target => ({
  kind: "reject",
  with: family === 4 ? "icmp-port-unreachable" : "icmp6-port-unreachable",
});

/** What becomes of packets that nat did not translate because nobody serves them. */
export interface Refusal {
  readonly target: Target;
  readonly about: string;
  readonly origin: Origin;
}

export function refuseClusterIp({ filter }: Sync, port: ProxyServicePort, { target, about, origin }: Refusal): void {
  filter.append(SERVICES, { ...toAddress(port, port.clusterIp, about), target }, origin);
}

/** External IPs, load balancer IPs and the NodePort. */
export function refuseExternal(sync: Sync, port: ProxyServicePort, { target, about, origin }: Refusal): void {
  const { filter, view } = sync;
  for (const ip of port.externalIps)
    filter.append(EXTERNAL_SERVICES, { ...toAddress(port, ip, about), target }, origin);
  // Up to 1.19 FORWARD led to KUBE-SERVICES only.
  const chain = isSince(view.version, 20) ? EXTERNAL_SERVICES : SERVICES;
  for (const ip of port.loadBalancerIps) filter.append(chain, { ...toAddress(port, ip, about), target }, origin);
  if (port.nodePort !== undefined && takesNodePorts(view))
    filter.append(EXTERNAL_SERVICES, { ...toLocalNodePort(port, port.nodePort, about), target }, origin);
}

/** The port that the load balancer asks whether this node has endpoints; whether or not it has. */
export function acceptHealthChecks({ filter, view }: Sync, port: ProxyServicePort, origin: Origin): void {
  const number = port.healthCheckNodePort;
  if (number === undefined || !isSince(view.version, 21)) return;
  const matches = [comment(`${port.name} health check node port`), transport(PROTO.tcp, number)];
  filter.append(NODEPORTS, { protocol: is(PROTO.tcp), matches, target: ACCEPT }, origin);
}
