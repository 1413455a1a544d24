/** So many names that fall on the same place: no chance any more, somebody chose them so. */
const MOST_STEPS = 64;
/** So many letters at the end of a name say where it falls: chains by the thousand end in a hash. */
const LETTERS = 8;

/** The names of a table's chains, as places in its text: of tens of thousands few are ever said, and no string is made of the others. */
export class ChainNames {
  readonly #text: string;
  readonly #from: number[] = [];
  readonly #end: number[] = [];
  #index: Int32Array | Map<string, number> | undefined = undefined;
  /** Names that are there once. */
  #distinct = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get size(): number {
    return this.#from.length;
  }

  push(from: number, end: number): void {
    this.#from.push(from);
    this.#end.push(end);
  }

  at(place: number): string {
    return this.#text.slice(this.#from[place], this.#end[place]);
  }

  startsWith(place: number, start: string): boolean {
    return this.#text.startsWith(start, this.#from[place]) && this.#end[place]! - this.#from[place]! >= start.length;
  }

  /** Whether the word at `at`, with a blank behind it, is that name. */
  isAt(place: number, at: number): boolean {
    const from = this.#from[place]!;
    const length = this.#end[place]! - from;
    const text = this.#text;
    if (text.charCodeAt(at + length) !== 32) return false;
    // From its end: there names differ.
    for (let i = length - 1; i >= 0; i--) if (text.charCodeAt(at + i) !== text.charCodeAt(from + i)) return false;
    return true;
  }

  /** -1: there is none of that name. */
  indexOf(name: string): number {
    const index = this.#indexed();
    if (index instanceof Map) return index.get(name) ?? -1;
    const mask = index.length - 1;
    for (let slot = hashOf(name, 0, name.length) & mask; ; slot = (slot + 1) & mask) {
      const place = index[slot]! - 1;
      if (place < 0) return -1;
      if (this.#end[place]! - this.#from[place]! === name.length && this.#text.startsWith(name, this.#from[place]))
        return place;
    }
  }

  get areDistinct(): boolean {
    this.#indexed();
    return this.#distinct === this.size;
  }

  #indexed(): Int32Array | Map<string, number> {
    this.#index ??= this.#listed() ?? this.#byName();
    return this.#index;
  }

  /** A slot holds a place and one; undefined where too many fall on the same. */
  #listed(): Int32Array | undefined {
    const text = this.#text;
    const [starts, ends] = [this.#from, this.#end];
    let slots = 16;
    while (slots < starts.length * 2) slots *= 2;
    const index = new Int32Array(slots);
    const mask = slots - 1;
    let distinct = 0;
    for (let place = 0; place < starts.length; place++) {
      const [from, end] = [starts[place]!, ends[place]!];
      let slot = hashOf(text, from, end) & mask;
      let steps = 0;
      let known = false;
      for (; index[slot] !== 0; slot = (slot + 1) & mask) {
        const other = index[slot]! - 1;
        if (ends[other]! - starts[other]! === end - from && isSame(text, starts[other]!, from, end - from)) {
          known = true;
          break;
        }
        if (++steps > MOST_STEPS) return undefined;
      }
      // Of the same name the last counts, as in a map.
      index[slot] = place + 1;
      if (!known) distinct++;
    }
    this.#distinct = distinct;
    return index;
  }

  #byName(): Map<string, number> {
    const named = new Map<string, number>();
    for (let place = 0; place < this.size; place++) named.set(this.at(place), place);
    this.#distinct = named.size;
    return named;
  }
}

function hashOf(text: string, from: number, end: number): number {
  let hash = end - from;
  for (let i = Math.max(from, end - LETTERS); i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash ^ (hash >>> 15);
}

function isSame(text: string, a: number, b: number, length: number): boolean {
  for (let i = length - 1; i >= 0; i--) if (text.charCodeAt(a + i) !== text.charCodeAt(b + i)) return false;
  return true;
}
