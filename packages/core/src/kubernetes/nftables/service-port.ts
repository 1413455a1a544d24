import { derived, type NftElement, type NftStatement, type NftVerdict, type Origin } from "../../model/index.ts";
import { type Address, type Family, isIpv4 } from "../../net/index.ts";
import type { ProxyEndpoint } from "../endpoints.ts";
import { admitsNode } from "../iptables/firewall-chain.ts";
import { originsOf } from "../iptables/sync.ts";
import { ifLocal, ifNotLocal } from "../local-detector.ts";
import type { ProxyServicePort } from "../service-ports.ts";
import { isSince } from "../version.ts";
import type { ProxyPort, ProxyView } from "../view.ts";
import { refuseOnLocalhost } from "./localhost.ts";
import { endpointName, type NftChains, nftChainsOf } from "./names.ts";
import { sourceTest } from "./source-test.ts";
import type { NftTableBuilder } from "./table-builder.ts";
import {
  address,
  concat,
  DROP,
  element,
  fibType,
  field,
  goto,
  ipOf,
  jump,
  match,
  meta,
  named,
  network,
  number,
  setMark,
  symbol,
} from "./words.ts";

/** Everything of one Service port. Follows syncProxyRules() (pkg/proxy/nftables/proxier.go). */
export function writeServicePort(table: NftTableBuilder, view: ProxyView, one: ProxyPort): void {
  const { port, chosen } = one;
  const chains = nftChainsOf(port);
  const origins = originsOf(port);
  const hasInternal = chosen.hasAny && !(port.internalPolicyLocal && chosen.local.length === 0);
  const hasExternal = chosen.hasAny && !(port.externalPolicyLocal && chosen.local.length === 0);
  const refusal: NftVerdict = chosen.hasAny ? { kind: "drop" } : { kind: "goto", chain: "reject-chain" };
  const to = (ip: Address, verdict: NftVerdict, comment?: string): NftElement =>
    element(concat(address(ip), symbol(port.protocolName), number(port.port)), verdict, comment);
  const internal = port.internalPolicyLocal ? chains.local : chains.service;
  if (isSince(view.version, 30)) table.add("cluster-ips", element(address(port.clusterIp)));
  if (hasInternal) table.add("service-ips", to(port.clusterIp, { kind: "goto", chain: internal }));
  else table.add("no-endpoint-services", to(port.clusterIp, refusal, port.name));
  for (const ip of [...port.externalIps, ...port.loadBalancerIps]) {
    if (chosen.hasAny) table.add("service-ips", to(ip, { kind: "goto", chain: chains.external }));
    if (!hasExternal) table.add("no-endpoint-services", to(ip, refusal, port.name));
  }
  writeFirewall(table, view, port, chains, chosen.hasAny, origins.sourceRanges);
  if (port.nodePort !== undefined) {
    const key = concat(symbol(port.protocolName), number(port.nodePort));
    refuseOnLocalhost(table, view, port);
    if (chosen.hasAny) table.add("service-nodeports", element(key, { kind: "goto", chain: chains.external }));
    if (!hasExternal) table.add("no-endpoint-nodeports", element(key, refusal, port.name));
  }
  if (!chosen.hasAny) return;
  if (hasInternal) masqueradeClusterIp(table, view, port, internal, origins.clusterIp);
  if (port.externallyAccessible) writeExternal(table, view, port, chains, hasExternal, origins.externalPolicy);
  if (port.usesClusterEndpoints && chosen.cluster.length > 0)
    balance(table, view, port, chains.service, chosen.cluster, origins.affinity);
  if (port.usesLocalEndpoints && chosen.local.length > 0)
    balance(table, view, port, chains.local, chosen.local, origins.affinity);
  for (const endpoint of chosen.reachable) writeEndpoint(table, view, port, endpoint);
}

/** What marks for masquerading: a chain up to 1.35, in place from then on. */
const markFor = ({ version, config }: ProxyView): NftStatement =>
  isSince(version, 36) ? setMark("|", config.masqueradeMark) : jump("mark-for-masquerade");

function masqueradeClusterIp(
  table: NftTableBuilder,
  view: ProxyView,
  port: ProxyServicePort,
  chain: string,
  origin: Origin,
): void {
  if (isSince(view.version, 36)) return;
  const { family, config } = view;
  const toPort = [
    match(field(ipOf(family), "daddr"), address(port.clusterIp)),
    match(field(port.protocolName, "dport"), number(port.port)),
  ];
  if (config.masqueradeAll) {
    table.rule(chain, [...toPort, markFor(view)], origin);
    return;
  }
  const outside = sourceTest(family, ifNotLocal(view.detector));
  if (outside !== undefined) table.rule(chain, [...toPort, ...outside, markFor(view)], origin);
}

function writeExternal(
  table: NftTableBuilder,
  view: ProxyView,
  port: ProxyServicePort,
  chains: NftChains,
  hasEndpoints: boolean,
  origin: Origin,
): void {
  const { external, service, local } = chains;
  table.chain(external);
  if (port.externalPolicyLocal) {
    const own = sourceTest(view.family, ifLocal(view.detector));
    if (own !== undefined) table.rule(external, [...own, goto(service)], origin, "short-circuit pod traffic");
    table.rule(external, [fibType("saddr"), markFor(view)], origin, "masquerade local traffic");
    table.rule(external, [fibType("saddr"), goto(service)], origin, "short-circuit local traffic");
  } else if (isSince(view.version, 36)) table.rule(external, [markFor(view)], origin, "masquerade");
  else table.rule(external, [markFor(view)], origin);
  if (hasEndpoints) table.rule(external, [goto(port.externalPolicyLocal ? local : service)], origin);
}

function writeFirewall(
  table: NftTableBuilder,
  view: ProxyView,
  port: ProxyServicePort,
  chains: NftChains,
  hasAny: boolean,
  origin: Origin,
): void {
  if (port.loadBalancerIps.length === 0 || port.sourceRanges.length === 0) return;
  const { family } = view;
  const allowed = [
    ...port.sourceRanges.map(network),
    ...(admitsNode(view, port) ? port.loadBalancerIps.map(address) : []),
  ];
  const key = (ip: Address) => concat(address(ip), symbol(port.protocolName), number(port.port));
  if (!isSince(view.version, 30)) {
    if (!hasAny) return;
    for (const ip of port.loadBalancerIps) {
      table.add("firewall", element(key(ip), undefined, port.name));
      for (const from of allowed)
        table.add(
          "firewall-allow",
          element(concat(address(ip), symbol(port.protocolName), number(port.port), from), undefined, port.name),
        );
    }
    return;
  }
  if (!hasAny) return;
  for (const ip of port.loadBalancerIps)
    table.add("firewall-ips", element(key(ip), { kind: "goto", chain: chains.firewall }, port.name));
  const set = { kind: "set", set: { kind: "anonymous", elements: allowed.map((a) => element(a)) } } as const;
  table.rule(chains.firewall, [match(field(ipOf(family), "saddr"), set, "!="), DROP], origin);
}

const affinitySet = (port: ProxyServicePort, endpoint: ProxyEndpoint): string =>
  `affinity-${endpointName(port, endpoint)}`;
const endpointChain = (port: ProxyServicePort, endpoint: ProxyEndpoint): string =>
  `endpoint-${endpointName(port, endpoint)}`;

/** Clients that were here before go where they went, others to each with equal chance. */
function balance(
  table: NftTableBuilder,
  view: ProxyView,
  port: ProxyServicePort,
  chain: string,
  endpoints: readonly ProxyEndpoint[],
  affinity: Origin,
): void {
  const { family, version } = view;
  const origin = derived(`kube-proxy's rules for ${port.name}`, ...endpoints.map((e) => e.origin));
  const sticky = port.affinitySeconds !== undefined;
  if (sticky)
    for (const e of endpoints)
      table.rule(
        chain,
        [match(field(ipOf(family), "saddr"), named(affinitySet(port, e))), goto(endpointChain(port, e))],
        affinity,
      );
  if (!isSince(version, 36) || sticky) {
    const elements = endpoints.map((e, i) => element(number(i), { kind: "goto", chain: endpointChain(port, e) }));
    const drawn = { kind: "numgen", mode: "random", mod: endpoints.length, offset: 0 } as const;
    table.rule(chain, [{ kind: "vmap", key: drawn, map: { kind: "anonymous", elements } }], origin);
    return;
  }
  const [only, ...others] = endpoints;
  if (only !== undefined && others.length === 0 && isSince(version, 37)) {
    table.rule(chain, [protocolTest(port), translation(family, only)], origin);
    return;
  }
  const elements = endpoints.map(
    (e, i): NftElement => ({ key: number(i), data: concat(address(e.address), number(e.port)) }),
  );
  const drawn = { kind: "numgen", mode: "random", mod: endpoints.length, offset: 0 } as const;
  const map = { kind: "map", key: drawn, data: { kind: "anonymous", elements } } as const;
  const dnat = {
    kind: "dnat",
    family: ipOf(family),
    address: map,
    random: false,
    fullyRandom: false,
    persistent: false,
  } as const;
  table.rule(chain, [protocolTest(port), dnat], origin);
}

const protocolTest = ({ protocolName }: ProxyServicePort): NftStatement => match(meta("l4proto"), symbol(protocolName));

const translation = (_family: Family, { address: to, port }: ProxyEndpoint): NftStatement => ({
  kind: "dnat",
  address: address(to),
  port: number(port),
  random: false,
  fullyRandom: false,
  persistent: false,
});

function writeEndpoint(table: NftTableBuilder, view: ProxyView, port: ProxyServicePort, endpoint: ProxyEndpoint): void {
  const { family, version } = view;
  const sticky = port.affinitySeconds !== undefined;
  const key = concat(
    address(endpoint.address),
    address(endpoint.address),
    symbol(port.protocolName),
    number(endpoint.port),
  );
  if (isSince(version, 36) && endpoint.isLocal) table.add("hairpin-connections", element(key));
  if (isSince(version, 36) && !sticky) return;
  const origin = derived(`kube-proxy's rules for ${port.name}`, endpoint.origin);
  const chain = endpointChain(port, endpoint);
  const saddr = field(ipOf(family), "saddr");
  if (!isSince(version, 36))
    table.rule(chain, [match(saddr, address(endpoint.address)), jump("mark-for-masquerade")], origin);
  if (port.affinitySeconds !== undefined) {
    const name = affinitySet(port, endpoint);
    const type = isIpv4(endpoint.address) ? "ipv4_addr" : "ipv6_addr";
    table.set(name, "set", [type], { flags: ["dynamic", "timeout"], timeout: port.affinitySeconds });
    table.rule(chain, [{ kind: "update", op: "update", set: name, key: saddr, statements: [] }], origin);
  }
  table.rule(chain, [protocolTest(port), translation(family, endpoint)], origin);
}
