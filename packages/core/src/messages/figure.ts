/** A count for people: large ones in groups of three digits. */
export const figure = (count: number): string => (count < 10_000 ? String(count) : count.toLocaleString("en-US"));
