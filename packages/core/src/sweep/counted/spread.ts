/** Nodes or addresses of one place: all but some, or some. */
export type Spread =
  | { readonly id: string; readonly size: number; readonly but: ReadonlySet<unknown> }
  | { readonly id: string; readonly only: ReadonlySet<unknown> };

const NONE: ReadonlySet<unknown> = new Set();

export const allOf = (id: string, size: number, but: ReadonlySet<unknown> = NONE): Spread => ({ id, size, but });

/** How many there are in several, each counted once. */
export class Tally {
  readonly #all = new Map<string, { readonly size: number; readonly but: ReadonlySet<unknown> }>();
  readonly #some = new Map<string, Set<unknown>>();

  add(spread: Spread): void {
    const { id } = spread;
    if ("only" in spread) {
      const known = this.#some.get(id) ?? new Set();
      this.#some.set(id, known);
      for (const one of spread.only) known.add(one);
      return;
    }
    const { size, but } = spread;
    const known = this.#all.get(id)?.but ?? but;
    this.#all.set(id, { size, but: but.size === 0 ? NONE : new Set([...but].filter((one) => known.has(one))) });
  }

  get count(): number {
    let count = 0;
    for (const [id, { size, but }] of this.#all) {
      const some = this.#some.get(id) ?? NONE;
      count += size - [...but].filter((one) => !some.has(one)).length;
    }
    for (const [id, some] of this.#some) if (!this.#all.has(id)) count += some.size;
    return count;
  }
}
