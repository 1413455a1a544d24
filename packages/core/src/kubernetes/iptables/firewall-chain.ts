import { is } from "../../model/index.ts";
import { type Address, contains, type Prefix } from "../../net/index.ts";
import { maskedPrefix } from "../local-detector.ts";
import { comment, fromHost, jump, NO_TARGET, type RuleSpec } from "../rules.ts";
import type { ProxyServicePort } from "../service-ports.ts";
import type { ProxyView } from "../view.ts";
import { MARK_DROP, type PortChains, PROXY_FIREWALL } from "./names.ts";
import type { PortOrigins, Sync } from "./sync.ts";

/** `-s 0.0.0.0/0` tests nothing, and iptables keeps nothing of it. */
const from = (range: Prefix): Pick<RuleSpec, "source"> =>
  range.length === 0 ? {} : { source: is(maskedPrefix(range)) };

/** The node may ask too: it then takes the load balancer's address as its source, where it is bound. */
export const admitsNode = ({ nodeIp }: ProxyView, port: ProxyServicePort): boolean =>
  nodeIp !== undefined && port.sourceRanges.some((range) => contains(range, nodeIp));

/** Who may come in by the load balancer, and where they go. */
export function writeSourceRanges(
  { nat, view }: Sync,
  port: ProxyServicePort,
  chain: string,
  next: string,
  loadBalancerIps: readonly Address[],
  origins: PortOrigins,
): void {
  const matches = [comment(`${port.name} loadbalancer IP`)];
  const origin = origins.sourceRanges;
  for (const range of port.sourceRanges) nat.append(chain, { ...from(range), matches, target: jump(next) }, origin);
  if (!admitsNode(view, port)) return;
  for (const ip of loadBalancerIps) nat.append(chain, { ...fromHost(ip), matches, target: jump(next) }, origin);
}

/** KUBE-FW-… from 1.25: what is not admitted falls out untranslated, for KUBE-PROXY-FIREWALL to drop. */
export function writeFirewallChain(
  sync: Sync,
  port: ProxyServicePort,
  { fw, ext }: PortChains,
  origins: PortOrigins,
): void {
  writeSourceRanges(sync, port, fw, ext, port.loadBalancerIps, origins);
  const fate = comment(`other traffic to ${port.name} will be dropped by ${PROXY_FIREWALL}`);
  sync.nat.append(fw, { matches: [fate], target: NO_TARGET }, origins.sourceRanges);
}

/** KUBE-FW-… of 1.24: what is not admitted is marked, for kubelet's KUBE-FIREWALL to drop. */
export function writeMarkingFirewallChain(
  sync: Sync,
  port: ProxyServicePort,
  { fw, ext }: PortChains,
  origins: PortOrigins,
): void {
  const matches = [comment(`${port.name} loadbalancer IP`)];
  for (const ip of port.loadBalancerIps) {
    writeSourceRanges(sync, port, fw, ext, [ip], origins);
    sync.nat.append(fw, { matches, target: jump(MARK_DROP) }, origins.sourceRanges);
  }
}
