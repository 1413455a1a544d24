import { derived, type IptablesTable, type Origin, PROXY_CHAIN, rulesSaying } from "../../model/index.ts";
import { type Address, isHostMask, isLoopback } from "../../net/index.ts";
import type { Served } from "./served.ts";

/**
 * Addresses that must be the node's own though no list shows them: kube-proxy opens node ports on them, in KUBE-SERVICES (one
 * rule an address, with --nodeport-addresses) or as virtual services.
 */
export function nodePortAddresses(
  tables: readonly IptablesTable[],
  nodePorts: readonly Served[],
): ReadonlyMap<Address, Origin> {
  const own = new Map<Address, Origin>();
  for (const table of tables) {
    if (table.name !== "nat") continue;
    for (const { rule } of rulesSaying(table, PROXY_CHAIN["node-ports"], [PROXY_CHAIN.services])) {
      const { destination, target } = rule;
      if (target.kind !== "jump" || target.chain !== PROXY_CHAIN["node-ports"] || destination?.negated !== false)
        continue;
      const { address, mask } = destination.value;
      if (!isHostMask(mask) || isLoopback(address)) continue;
      own.set(address, derived("node ports are opened on this address", rule.origin));
    }
  }
  for (const { address, origin } of nodePorts) {
    if (isLoopback(address) || own.has(address)) continue;
    own.set(address, derived("IPVS serves node ports on this address", origin));
  }
  return own;
}
