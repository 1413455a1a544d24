/** Positions of a longest increasing subsequence (patience sorting): what has kept its order. */
export function longestIncreasing(values: readonly number[]): ReadonlySet<number> {
  const tails: number[] = [];
  const before = new Array<number>(values.length).fill(-1);
  for (const [i, value] of values.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[tails[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[i] = tails[low - 1]!;
    tails[low] = i;
  }
  const kept = new Set<number>();
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at]!) kept.add(at);
  return kept;
}
