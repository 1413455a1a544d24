import { is } from "../../model/index.ts";
import { ifNotLocal } from "../local-detector.ts";
import { comment, DROP, jump, LOOPBACK } from "../rules.ts";
import type { ProxyServicePort } from "../service-ports.ts";
import { isSince } from "../version.ts";
import type { ProxyPort } from "../view.ts";
import { nfacct } from "./base-chains.ts";
import { endpointChains, writeBalancing, writeEndpointChain } from "./endpoint-chains.ts";
import { writeExternalChain } from "./external-chain.ts";
import { acceptHealthChecks, type Refusal, refuseClusterIp, refuseExternal, rejectOf } from "./filter-rules.ts";
import { writeFirewallChain, writeMarkingFirewallChain } from "./firewall-chain.ts";
import { chainsOf, MARK_DROP, MARK_MASQ, NODEPORTS, type PortChains, PROXY_FIREWALL, SERVICES } from "./names.ts";
import { localhostNodePorts, takesNodePorts } from "./node-ports.ts";
import { toAddress, toClusterIp, toExternalIp, toLoadBalancerIp, toNodePort } from "./service-match.ts";
import { originsOf, type PortOrigins, type Sync } from "./sync.ts";

/** Rules of one Service port, 1.24 on: KUBE-SVC, KUBE-SVL, KUBE-EXT, KUBE-FW and KUBE-SEP. */
export function writeServicePort(sync: Sync, one: ProxyPort): void {
  const { view } = sync;
  const { port, chosen } = one;
  const { hasAny } = chosen;
  const chains = chainsOf(port);
  const origins = originsOf(port);
  const inFilter = isSince(view.version, 25);
  const noneLocal = chosen.local.length === 0;
  // 1.24 had the Local policy's own chain mark for a drop what later releases drop in the filter table.
  const hasInternal = hasAny && !(inFilter && port.internalPolicyLocal && noneLocal);
  const hasExternal = hasAny && !(inFilter && port.externalPolicyLocal && noneLocal);
  const refusal = (local: PortOrigins[keyof PortOrigins]): Refusal =>
    hasAny
      ? { target: DROP, about: `${port.name} has no local endpoints`, origin: local }
      : { target: rejectOf(view.family), about: `${port.name} has no endpoints`, origin: origins.service };

  if (hasInternal) captureClusterIp(sync, port, chains, origins);
  else refuseClusterIp(sync, port, refusal(origins.internalPolicy));
  const firewalled = port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0;
  if (hasAny) captureExternal(sync, port, chains, origins, firewalled);
  if (!hasExternal) refuseExternal(sync, port, refusal(origins.externalPolicy));
  acceptHealthChecks(sync, port, origins.externalPolicy);
  if (!hasAny) return;

  if (port.externallyAccessible) writeExternalChain(sync, port, chains, origins, hasExternal);
  if (firewalled) (inFilter ? writeFirewallChain : writeMarkingFirewallChain)(sync, port, chains, origins);
  writePolicyChains(sync, one, chains, origins);
}

function captureClusterIp({ nat, view }: Sync, port: ProxyServicePort, chains: PortChains, origins: PortOrigins): void {
  const chain = port.internalPolicyLocal ? chains.svl : chains.svc;
  const origin = origins.clusterIp;
  const destination = toClusterIp(port);
  nat.append(SERVICES, { ...destination, target: jump(chain) }, origin);
  const outside = view.config.masqueradeAll ? {} : ifNotLocal(view.detector);
  if (outside !== undefined) nat.append(chain, { ...outside, ...destination, target: jump(MARK_MASQ) }, origin);
}

const LOCALHOST_COUNTER = "localhost_nps_accepted_pkts";

function captureExternal(
  { nat, filter, view }: Sync,
  port: ProxyServicePort,
  { ext, fw }: PortChains,
  origins: PortOrigins,
  firewalled: boolean,
): void {
  for (const ip of port.externalIps)
    nat.append(SERVICES, { ...toExternalIp(port, ip), target: jump(ext) }, origins.externalIp);
  for (const ip of port.loadBalancerIps) {
    nat.append(SERVICES, { ...toLoadBalancerIp(port, ip), target: jump(firewalled ? fw : ext) }, origins.service);
    if (!firewalled || !isSince(view.version, 25)) continue;
    const refused = toAddress(port, ip, `${port.name} traffic not accepted by ${fw}`);
    filter.append(PROXY_FIREWALL, { ...refused, target: DROP }, origins.sourceRanges);
  }
  if (port.nodePort === undefined || !takesNodePorts(view)) return;
  const destination = toNodePort(port, port.nodePort);
  const counted = isSince(view.version, 31) && view.config.nfacctCounters.includes(LOCALHOST_COUNTER);
  if (counted && localhostNodePorts(view)) {
    const matches = [...destination.matches, nfacct(LOCALHOST_COUNTER)];
    const spec = { ...destination, destination: is(LOOPBACK[4]), matches, target: jump(ext) };
    nat.append(NODEPORTS, spec, origins.service);
  }
  nat.append(NODEPORTS, { ...destination, target: jump(ext) }, origins.service);
}

function writePolicyChains(sync: Sync, one: ProxyPort, { svc, svl }: PortChains, origins: PortOrigins): void {
  const { nat, view } = sync;
  const { port, chosen } = one;
  const chains = endpointChains(port, chosen.reachable);
  const always = !isSince(view.version, 25);
  const balance = (chain: string, endpoints: ProxyPort["endpoints"]): void =>
    writeBalancing(
      sync,
      port,
      chain,
      endpoints.map((e) => chains.get(e)!),
      origins.affinity,
    );
  if (port.usesClusterEndpoints && (always || chosen.cluster.length > 0)) {
    nat.chain(svc);
    balance(svc, chosen.cluster);
  }
  if (port.usesLocalEndpoints && (always || chosen.local.length > 0)) {
    nat.chain(svl);
    balance(svl, chosen.local);
    if (chosen.local.length === 0) {
      const matches = [comment(`${port.name} has no local endpoints`)];
      nat.append(svl, { matches, target: jump(MARK_DROP) }, origins.externalPolicy);
    }
  }
  for (const endpoint of chains.values()) writeEndpointChain(sync, port, endpoint);
}
