const NONE: readonly number[] = [];

/** In which lines each of many addresses stands: numbers in lists, for an array for each address would be most of the work. */
export class LinesByAddress {
  /** A number for each, in the order in which they are met. */
  readonly #ids = new Map<number, number>();
  readonly #met: number[] = [];
  readonly #begins: number[] = [];
  #sorted: Sorted | undefined = undefined;

  /** In the order of the text. */
  note(address: number, begin: number): void {
    let id = this.#ids.get(address);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(address, id);
    }
    this.#met.push(id);
    this.#begins.push(begin);
    this.#sorted = undefined;
  }

  get addresses(): Iterable<number> {
    return this.#ids.keys();
  }

  has(address: number): boolean {
    return this.#ids.has(address);
  }

  /** Where its lines begin, ascending, each once. */
  of(address: number): readonly number[] {
    const id = this.#ids.get(address);
    if (id === undefined) return NONE;
    this.#sorted ??= this.#sort();
    const { begins, firsts, ends } = this.#sorted;
    const found: number[] = [];
    for (let i = firsts[id]!; i < ends[id]!; i++) found.push(begins[i]!);
    return found;
  }

  #sort(): Sorted {
    const count = this.#met.length;
    const firsts = new Int32Array(this.#ids.size + 1);
    for (let i = 0; i < count; i++) firsts[this.#met[i]! + 1]!++;
    for (let id = 0; id < this.#ids.size; id++) firsts[id + 1]! += firsts[id]!;
    const ends = firsts.slice(0, this.#ids.size);
    const begins = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      const id = this.#met[i]!;
      const begin = this.#begins[i]!;
      const at = ends[id]!;
      if (at > firsts[id]! && begins[at - 1] === begin) continue;
      begins[at] = begin;
      ends[id] = at + 1;
    }
    return { begins, firsts, ends };
  }
}

interface Sorted {
  readonly begins: Int32Array;
  readonly firsts: Int32Array;
  readonly ends: Int32Array;
}
