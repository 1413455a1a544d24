/** A count for people: large ones in groups of three digits. */
export const figure = (count: number): string => (count < 10_000 ? String(count) : count.toLocaleString("en-US"));

/** A share for people: what is not all is never 100%, and what is something never 0%. */
export function percent(share: number): string {
  const tenths = Math.round(share * 1000) / 10;
  const small = (part: number): number => Number((part * 100).toPrecision(1));
  if (tenths === 100 && share < 1) return `${Number((100 - small(1 - share)).toFixed(9))}%`;
  return `${tenths === 0 ? small(share) : tenths}%`;
}
