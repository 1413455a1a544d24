import type { Chain, IptablesTable, Stack, World } from "../../model/index.ts";
import { chainCount, TABLE_LOCAL } from "../../model/index.ts";
import { countedDrops, suspectedFrom } from "../views/elsewhere.ts";

/**
 * The stacks of two Worlds that differ, where nothing else does: whoever comes by none of them fares in one World as in the other. Undefined:
 * something differs that a flow may find without coming by there (who has an address, who answers ARP, what objects say, how stacks hang together), or
 * that is suspected wherever it comes by (a connection table that is full).
 */
export function changedStacks(a: World, b: World): ReadonlySet<string> | undefined {
  const { stacks: before, assumptions: _, ...restA } = a;
  const { stacks: after, assumptions: __, ...restB } = b;
  if (before.length !== after.length || !isSame(restA, restB)) return undefined;
  const changed = new Set<string>();
  for (const [i, stack] of before.entries()) {
    const other = after[i]!;
    if (stack === other) continue;
    if (stack.name !== other.name || stack.kind !== other.kind) return undefined;
    // Of rules that are the same otherwise, what they have counted may say more.
    if (isSameStack(stack, other) && countedDrops(stack) === countedDrops(other)) continue;
    if (!isSame(stack.devices, other.devices) || !isSame(presenceOf(stack), presenceOf(other))) return undefined;
    if (suspectedFrom(stack) !== suspectedFrom(other)) return undefined;
    changed.add(stack.name);
  }
  return changed;
}

/**
 * What others find of a stack without a packet's coming there: by ARP and neighbour discovery, and for which addresses; and where it says somebody is of
 * whom nothing else was shown, by its routes, its neighbours and its tunnels.
 */
function presenceOf({ sysctls, routeTables, neighbours, bridgeVlans, fdb }: Stack): unknown {
  const arp = [...sysctls].filter(([key]) => /arp|proxy|ndisc/.test(key)).map(([key, { value }]) => `${key}=${value}`);
  const proxies =
    arp.some((s) => /proxy_(?:arp|ndp)\S*=[^0]/.test(s)) || neighbours.items.some((n) => n.proxy === true);
  // Who answers for others does so by its routes.
  const routes = routeTables.filter((t) => proxies || t.id === TABLE_LOCAL);
  const ways = routeTables.flatMap((t) =>
    t.routes
      .filter((r) => r.type === "unicast" && r.destination.length > 0)
      .map((r) => [t.id, r.destination, r.nexthops.map((h) => [h.device, h.gateway])]),
  );
  const isThere = (states: readonly string[]): boolean => states.some((x) => x === "REACHABLE" || x === "PERMANENT");
  const heard = neighbours.items
    .filter((n) => n.mac !== undefined && !n.states.some((x) => x === "FAILED" || x === "INCOMPLETE" || x === "NONE"))
    .map((n) => [n.address, n.mac, n.device, isThere(n.states)]);
  const learnt = fdb.items.map((f) => [f.mac, f.device, f.destination]);
  // A bridge hands questions on by its VLANs.
  return [arp.sort(), neighbours.items.filter((n) => n.proxy === true), heard, learnt, routes, ways, bridgeVlans];
}

function isSameStack(a: Stack, b: Stack): boolean {
  const {
    netfilter: { tables: tablesA, ...rulesA },
    ...restA
  } = a;
  const {
    netfilter: { tables: tablesB, ...rulesB },
    ...restB
  } = b;
  return (
    isSame(restA, restB) &&
    isSame(rulesA, rulesB) &&
    tablesA.length === tablesB.length &&
    tablesA.every((t, i) => isSameTable(t, tablesB[i]!))
  );
}

/** Of a table that is known as text, the text; its rules are not read for it. */
function isSameTable(a: IptablesTable, b: IptablesTable): boolean {
  if (a === b) return true;
  const { unread: unreadA } = a;
  const { unread: unreadB } = b;
  const head = ({ name, family, backend, extent, origin }: IptablesTable) => [name, family, backend, extent, origin];
  if (!isSame(head(a), head(b)) || chainCount(a) !== chainCount(b)) return false;
  if (unreadA !== undefined && unreadB !== undefined) {
    if (unreadA.isSame(unreadB)) return true;
    // Of one home, and not in the same chains as that: no chain has to be made to see it.
    if (unreadA.home === unreadB.home && !isSame(new Set(unreadA.apart()), new Set(unreadB.apart()))) return false;
  }
  return a.chains.every((c, i) => isSameChain(c, b.chains[i]!));
}

const isSameChain = (a: Chain, b: Chain): boolean =>
  a === b ||
  (a.name === b.name &&
    a.policy === b.policy &&
    a.extent === b.extent &&
    isSame(a.origin, b.origin) &&
    isSame(a.rules, b.rules));

const isPlain = (value: object): boolean => {
  const made: unknown = Object.getPrototypeOf(value);
  return made === Object.prototype || made === null;
};

/** Records, lists and maps, to the ground; counters of packets that went by are no difference. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((x, i) => isSame(x, b[i]));
  if (a instanceof Map)
    return b instanceof Map && a.size === b.size && [...a].every(([k, v]) => b.has(k) && isSame(v, b.get(k)));
  if (a instanceof Set) return b instanceof Set && a.size === b.size && [...a].every((x) => b.has(x));
  const [keysA, keysB] = [Object.keys(a), Object.keys(b)];
  // What keeps its fields to itself cannot be compared.
  if (!isPlain(a) || !isPlain(b) || keysA.length !== keysB.length) return false;
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return keysA.every((k) => k === "counters" || (k in y && isSame(x[k], y[k])));
}
