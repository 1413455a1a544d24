import type { Route } from "../../model/index.ts";
import { type Address, applyMask, contains, maskFor } from "../../net/index.ts";
import { memo } from "../kernel/memo.ts";

/** Routes of one destination, and of one `from` where they have one: a leaf of the tree (struct fib6_node). */
interface Leaf {
  readonly from: Route["from"];
  /** By metric; equal ones in the order listed. */
  readonly routes: Route[];
}

/** One IPv6 routing table. Follows fib6_node_lookup() and fib6_backtrack() (ip6_fib.c). */
export class Fib6Table {
  readonly id: number | string;
  readonly size: number;
  readonly #byLength: { readonly length: number; readonly leaves: Map<Address, Leaf[]> }[] = [];

  constructor(id: number | string, routes: readonly Route[]) {
    this.id = id;
    this.size = routes.length;
    const lengths = new Map<number, Map<Address, Leaf[]>>();
    for (const route of routes) {
      const { address, length } = route.destination;
      const leaves = memo(
        memo(lengths, length, () => new Map<Address, Leaf[]>()),
        keyOf(address, length),
        () => [] as Leaf[],
      );
      const leaf = leaves.find((l) => sameFrom(l.from, route.from));
      if (leaf === undefined) leaves.push({ from: route.from, routes: [route] });
      else leaf.routes.push(route);
    }
    for (const [length, leaves] of lengths) {
      for (const same of leaves.values()) {
        same.sort((a, b) => (b.from?.length ?? 0) - (a.from?.length ?? 0));
        for (const leaf of same) leaf.routes.sort((a, b) => metricOf(a) - metricOf(b));
      }
      this.#byLength.push({ length, leaves });
    }
    this.#byLength.sort((a, b) => b.length - a.length);
  }

  /** Leaves from the longest destination to the shortest; of one destination the longest `from` that has the source first. */
  *leaves(daddr: Address, saddr: Address): Generator<readonly Route[]> {
    for (const { length, leaves } of this.#byLength) {
      for (const { from, routes } of leaves.get(keyOf(daddr, length)) ?? [])
        if (from === undefined || from.length === 0 || contains(from, saddr)) yield routes;
    }
  }
}

/** IP6_RT_PRIO_USER: what a route without a metric has. */
export const metricOf = (r: Route): number => r.metric ?? 1024;

const sameFrom = (a: Route["from"], b: Route["from"]): boolean =>
  (a?.length ?? 0) === (b?.length ?? 0) && (a === undefined || b === undefined || a.address === b.address);

const keyOf = (address: Address, length: number): Address => applyMask(address, maskFor(address, length));
