import { type Stack, TABLE_MAIN } from "@hairpin/core/model/index.ts";
import { type Address, contains } from "@hairpin/core/net/index.ts";

/**
 * By which of its cards a stack would answer from `source`: the first rule for that source whose table has a default
 * route decides, else the main table, else the first card.
 */
export function wayOut<T>(
  stack: Stack,
  source: Address,
  cards: readonly T[],
  nameOf: (card: T) => string,
): T | undefined {
  const byDefaultRoute = (table: number | string): T | undefined => {
    const routes = stack.routeTables.filter((t) => t.id === table && t.family === 4).flatMap((t) => t.routes);
    const devices = routes
      .filter((r) => r.destination.length === 0)
      .flatMap((r) => r.nexthops.map((hop) => hop.device));
    return cards.find((card) => devices.includes(nameOf(card)));
  };
  const own = stack.devices.items.find((d) => d.addresses.some((a) => a.prefix.address === source));
  const holder = cards.find((card) => nameOf(card) === own?.name);
  if (holder !== undefined) return holder;
  for (const rule of stack.routingRules.items) {
    if (rule.action.kind !== "lookup" || rule.not || rule.fwmark !== undefined || rule.iif !== undefined) continue;
    if (rule.from === undefined || !contains(rule.from, source) || rule.to !== undefined) continue;
    const found = byDefaultRoute(rule.action.table);
    if (found !== undefined) return found;
  }
  return byDefaultRoute(TABLE_MAIN) ?? cards[0];
}
