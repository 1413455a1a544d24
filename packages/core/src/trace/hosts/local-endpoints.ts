import {
  chainNamed,
  chainsStarting,
  type IptablesTable,
  type Netfilter,
  proxyChain,
  serviceChain,
  type World,
} from "../../model/index.ts";
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

function localOf(table: IptablesTable): readonly Address[] {
  const endpoints = new Set<string>();
  for (const chain of LOCAL.flatMap((start) => chainsStarting(table, start))) {
    for (const { target } of chain.rules)
      if (target.kind === "jump" && proxyChain(target.chain) === "endpoint") endpoints.add(target.chain);
  }
  if (endpoints.size === 0) return [];
  const chains =
    table.unread === undefined
      ? table.chains.filter((c) => endpoints.has(c.name))
      : [...endpoints].map((name) => chainNamed(table, name));
  return chains.flatMap((c) =>
    (c?.rules ?? []).flatMap((r) =>
      r.target.kind === "dnat" && r.target.to.addresses !== undefined ? [r.target.to.addresses.from] : [],
    ),
  );
}

/** Traffic policy Local: what these chains of a Service lead to is on the node. */
const LOCAL = (["local", "local-before-1.24"] as const).map((role) => serviceChain(role, ""));

/** The node whose kube-proxy counts an endpoint, of which nothing else was shown, among its own. */
export const homeOfEndpoint = (world: World, address: Address): string | undefined =>
  world.stacks.find(
    (s) => s.kind === "node" && s.assumed === undefined && localEndpoints(s.netfilter).some((a) => a === address),
  )?.name;
