/**
 * Puts all of these at the end. `push(...items)` hands every item over as an argument, and some 120,000 of them are more than a
 * stack holds: dumps are longer than that.
 */
export function append<Item>(to: Item[], items: Iterable<Item>): void {
  for (const item of items) to.push(item);
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
