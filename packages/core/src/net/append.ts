/**
 * Puts all of these at the end. `push(...items)` hands every item over as an argument, and some 120,000 of them are more than a
 * stack holds: dumps are longer than that.
 */
export function append<Item>(to: Item[], items: Iterable<Item>): void {
  for (const item of items) to.push(item);
}

/** Those of `items` that `others`, told by the same key, has no more of. */
export function lacking<Item>(
  items: readonly Item[],
  others: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(keyOf(other), (left.get(keyOf(other)) ?? 0) + 1);
  return items.filter((item) => {
    const key = keyOf(item);
    const n = left.get(key) ?? 0;
    left.set(key, n - 1);
    return n <= 0;
  });
}

/** The largest of these and a floor, however many they are. */
export function largest(floor: number, items: Iterable<number>): number {
  let most = floor;
  for (const item of items) if (item > most) most = item;
  return most;
}

/** The smallest of these and a ceiling, however many they are. */
export function smallest(ceiling: number, items: Iterable<number>): number {
  let least = ceiling;
  for (const item of items) if (item < least) least = item;
  return least;
}
