import { type IptablesTable, isLocalChain, type Netfilter, proxyChain, type World } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";

const known = new WeakMap<Netfilter, readonly Address[]>();

function localEndpoints(netfilter: Netfilter): readonly Address[] {
  let found = known.get(netfilter);
  if (found === undefined) {
    found = netfilter.tables.flatMap((t) => (t.name === "nat" ? localOf(t) : []));
    known.set(netfilter, found);
  }
  return found;
}

function localOf({ chains }: IptablesTable): readonly Address[] {
  const endpoints = new Set<string>();
  for (const chain of chains) {
    if (!isLocalChain(chain.name)) continue;
    for (const { target } of chain.rules)
      if (target.kind === "jump" && proxyChain(target.chain) === "endpoint") endpoints.add(target.chain);
  }
  if (endpoints.size === 0) return [];
  return chains
    .filter((c) => endpoints.has(c.name))
    .flatMap((c) =>
      c.rules.flatMap((r) =>
        r.target.kind === "dnat" && r.target.to.addresses !== undefined ? [r.target.to.addresses.from] : [],
      ),
    );
}

/** The node whose kube-proxy counts an endpoint, of which nothing else was shown, among its own. */
export const homeOfEndpoint = (world: World, address: Address): string | undefined =>
  world.stacks.find(
    (s) => s.kind === "node" && s.assumed === undefined && localEndpoints(s.netfilter).some((a) => a === address),
  )?.name;
