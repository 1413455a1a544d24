/** mulberry32: small, seeded, the same on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** From 0 to n − 1. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Each with its weight. */
  weighted<T>(...items: readonly (readonly [weight: number, item: T])[]): T {
    let at = this.next() * items.reduce((sum, [w]) => sum + w, 0);
    for (const [weight, item] of items) {
      at -= weight;
      if (at < 0) return item;
    }
    return items[items.length - 1]![1];
  }

  some<T>(items: readonly T[], share: number): readonly T[] {
    return items.filter(() => this.chance(share));
  }

  shuffled<T>(items: readonly T[]): readonly T[] {
    const all = [...items];
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all;
  }

  /** A generator of its own, so that adding to one part does not change the others. */
  fork(label: string): Random {
    let hash = this.#state;
    for (const c of label) hash = Math.imul(hash ^ c.charCodeAt(0), 0x01000193) >>> 0;
    return new Random(hash);
  }
}
