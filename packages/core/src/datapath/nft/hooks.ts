import type { Hook, NftBase, NftChain, NftExpression, NftStatement, NftTable, Stack } from "../../model/index.ts";
import { memo } from "../kernel/memo.ts";

/** A base chain and the table it stands in. */
export interface BaseChain {
  readonly table: NftTable;
  readonly chain: NftChain;
  readonly base: NftBase;
}

/**
 * The base chains that a packet of this family meets at a hook, in the order they run: by priority, and among equals the one
 * registered last first (nf_hook_entries_grow), which is the listing backwards: chains stand in their table, and tables in the ruleset, as
 * they were made. A table may have got a chain later than the one behind it, so that of two tables it may be the other way round
 * (`tablesReversed`). Dormant tables have no hooks.
 */
export function baseChains(stack: Stack, family: 4 | 6, hook: Hook, tablesReversed = false): readonly BaseChain[] {
  const name = hook.toLowerCase();
  const tables = nftTablesOf(stack, family).filter((t) => !t.flags.includes("dormant"));
  if (tablesReversed) tables.reverse();
  const found = tables.flatMap((table) =>
    table.chains.flatMap((chain) =>
      chain.base?.hook === name ? [{ table, chain, base: chain.base } satisfies BaseChain] : [],
    ),
  );
  return found.reverse().sort((a, b) => a.base.priority - b.base.priority);
}

/** The tables whose hooks and connections are of this family. */
export const nftTablesOf = ({ netfilter }: Stack, family: 4 | 6): readonly NftTable[] => {
  const own = family === 4 ? "ip" : "ip6";
  return (netfilter.nft ?? []).filter((t) => t.family === "inet" || t.family === own);
};

/** Whether a device is one of those that a chain or flowtable names: by its name, or by how it begins (`"eth*"`, Linux 6.16). */
export const isAmong = (devices: readonly string[], name: string): boolean =>
  devices.some((d) => (d.endsWith("*") ? name.startsWith(d.slice(0, -1)) : d === name));

/** The chains at a device's ingress or egress: netdev and inet together, by priority. */
export function deviceChains(stack: Stack, device: string, hook: "ingress" | "egress"): readonly BaseChain[] {
  const found = (stack.netfilter.nft ?? [])
    .filter((t) => (t.family === "netdev" || t.family === "inet") && !t.flags.includes("dormant"))
    .flatMap((table) =>
      table.chains.flatMap((chain) =>
        chain.base?.hook === hook && isAmong(chain.base.devices, device)
          ? [{ table, chain, base: chain.base } satisfies BaseChain]
          : [],
      ),
    );
  return found.length < 2 ? found : found.reverse().sort((a, b) => a.base.priority - b.base.priority);
}

/** nf_nat_register_fn(): the first chain of type nat registers NAT at all of its hooks. */
export const hasNatChain = (stack: Stack, family: 4 | 6): boolean =>
  (["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"] as const).some((hook) =>
    baseChains(stack, family, hook).some((c) => c.base.type === "nat"),
  );

const asks = new WeakMap<NftTable, boolean>();

/** nf_ct_netns_get(): a `ct` expression or a translation anywhere in a table turns conntrack on; nat chains alone do not. */
export const asksForConntrack = (table: NftTable): boolean =>
  memo(asks, table, () => table.chains.some((c) => c.rules.some((r) => r.statements.some((s) => statementAsks(s)))));

function statementAsks(s: NftStatement): boolean {
  switch (s.kind) {
    case "dnat":
    case "snat":
    case "masquerade":
    case "redirect":
    case "ct count":
    case "synproxy":
    case "flow":
      return true;
    case "object":
      return s.object.startsWith("ct ") || s.object === "synproxy";
    case "match":
      return expressionAsks(s.left) || expressionAsks(s.right);
    case "vmap":
      return expressionAsks(s.key);
    case "set":
      return expressionAsks(s.target) || expressionAsks(s.value);
    case "update":
      return expressionAsks(s.key) || s.statements.some(statementAsks);
    case "chain":
      return s.rules.some((rule) => rule.some(statementAsks));
    default:
      return false;
  }
}

function expressionAsks(e: NftExpression): boolean {
  switch (e.kind) {
    case "ct":
      return true;
    case "binary":
      return expressionAsks(e.left) || expressionAsks(e.right);
    case "concat":
      return e.parts.some(expressionAsks);
    case "map":
      return expressionAsks(e.key);
    case "jhash":
      return expressionAsks(e.key);
    default:
      return false;
  }
}
