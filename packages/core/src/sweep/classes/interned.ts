/** A number for each text: equal numbers, equal texts. */
export class Interned {
  readonly #known = new Map<string, number>();
  of(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, this.#known.size);
    return this.#known.size - 1;
  }
}
