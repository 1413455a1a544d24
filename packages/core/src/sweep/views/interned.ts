/** A number for each text: equal numbers, equal texts. */
export class Interned {
  readonly #known = new Map<string, number>();
  /** The number of the next text that is new. */
  next: number;

  constructor(first = 0) {
    this.next = first;
  }

  get size(): number {
    return this.#known.size;
  }

  of(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, this.next);
    return this.next++;
  }
}
