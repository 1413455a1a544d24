import {
  type CaseNode,
  chainNamed,
  type Device,
  findChain,
  type IpSet,
  type IptablesTable,
  type Ipvs,
  isHashedChain,
  isKubeName,
  isServiceChain,
  KUBE_IPVS0,
  type Origin,
  PROXY_CHAIN,
  rulesSaying,
} from "../../model/index.ts";

export interface KubeProxy {
  readonly mode: "iptables" | "ipvs" | "nftables";
  readonly origin: Origin;
}

/** What of a stack shows how kube-proxy runs there. */
export interface KubeProxyTraces {
  readonly tables: readonly IptablesTable[];
  readonly devices: readonly Device[];
  readonly ipsets: readonly IpSet[];
  readonly ipvs: Ipvs;
}

/** Stated, or told by what each mode alone leaves on a node; an IPVS service list beats chains left over by another mode. */
export function kubeProxyOf(traces: KubeProxyTraces, stated: CaseNode | undefined): KubeProxy | undefined {
  if (stated?.kubeProxy?.mode !== undefined) return { mode: stated.kubeProxy.mode, origin: stated.origin };
  const nat = traces.tables.filter((t) => t.name === "nat");
  const mark = nat.some((t) =>
    [PROXY_CHAIN["mark-masq"], PROXY_CHAIN.services].some((name) => chainNamed(t, name) !== undefined),
  );
  const set = traces.ipsets.find((s) => isKubeName(s.name));
  const [service] = traces.ipvs.services;
  const dummy = traces.devices.find((d) => d.name === KUBE_IPVS0);
  const ipvs = (origin: Origin): KubeProxy => ({ mode: "ipvs", origin });
  if (service !== undefined && (mark || set !== undefined || dummy !== undefined)) return ipvs(service.origin);
  const rule = ruleOnKubeSet(nat);
  if (rule !== undefined) return ipvs(rule);
  for (const table of nat) {
    // Only the iptables mode makes such chains, one or more for each Service port.
    const chain = findChain(table, (c) => isHashedChain(c.name) && isServiceChain(c.name));
    if (chain !== undefined) return { mode: "iptables", origin: chain.origin };
  }
  if (set !== undefined) return ipvs(set.origin);
  return dummy === undefined ? undefined : ipvs(dummy.origin);
}

function ruleOnKubeSet(nat: readonly IptablesTable[]): Origin | undefined {
  for (const table of nat) {
    for (const { rule } of rulesSaying(table, "--match-set", [PROXY_CHAIN.services]))
      if (rule.matches.some((m) => m.kind === "set" && isKubeName(m.name))) return rule.origin;
  }
  return undefined;
}

/** Sets that rules name, with the rule that does. */
export function referencedSets(tables: readonly IptablesTable[]): ReadonlyMap<string, Origin> {
  const names = new Map<string, Origin>();
  for (const table of tables) {
    for (const { rule } of rulesSaying(table, "--match-set"))
      for (const m of rule.matches) if (m.kind === "set" && !names.has(m.name)) names.set(m.name, rule.origin);
  }
  return names;
}
