import type { Route } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { type Address, applyMask, maskFor } from "../../net/index.ts";
import { memo } from "../kernel/memo.ts";

/** So many addresses are remembered. */
const KNOWN = 4096;

/** Longest-prefix match over one routing table, prefix length by prefix length. Follows fib_table_lookup() (fib_trie.c). */
export class FibTable {
  readonly id: number | string;
  readonly #byLength: { length: number; routes: Map<Address, Route[]> }[] = [];
  /** By the address that was looked up: a walk looks for few, often. */
  readonly #known = new Map<Address, readonly Route[]>();

  constructor(id: number | string, routes: readonly Route[]) {
    this.id = id;
    const lengths = new Map<number, Map<Address, Route[]>>();
    for (const route of routes) {
      const { address, length } = route.destination;
      const bucket = memo(lengths, length, () => new Map<Address, Route[]>());
      memo(bucket, keyOf(address, length), () => []).push(route);
    }
    for (const [length, bucket] of lengths) {
      for (const same of bucket.values()) same.sort(byPrecedence);
      this.#byLength.push({ length, routes: bucket });
    }
    this.#byLength.sort((a, b) => b.length - a.length);
  }

  /** Candidates from the longest prefix to the shortest; within a prefix by tos, then metric, then the order listed. */
  candidates(address: Address): readonly Route[] {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const found: Route[] = [];
    for (const { length, routes } of this.#byLength) append(found, routes.get(keyOf(address, length)) ?? []);
    if (this.#known.size >= KNOWN) this.#known.clear();
    this.#known.set(address, found);
    return found;
  }

  get size(): number {
    let n = 0;
    for (const { routes } of this.#byLength) for (const same of routes.values()) n += same.length;
    return n;
  }
}

/** fib_insert_alias() keeps aliases of a prefix ordered by descending tos, then ascending priority (metric). */
const byPrecedence = (a: Route, b: Route): number => (b.tos ?? 0) - (a.tos ?? 0) || (a.metric ?? 0) - (b.metric ?? 0);

const keyOf = (address: Address, length: number): Address => applyMask(address, maskFor(address, length));
