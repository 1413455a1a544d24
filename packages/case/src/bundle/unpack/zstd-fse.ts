import { damaged } from "./bad-packing.ts";
import { type BackwardBits, ForwardBits } from "./zstd-bits.ts";

const error = () => damaged("zstd", "a table");

/** A finite state entropy table: for each state its symbol, and where the next state lies. */
export interface FseTable {
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly base: Uint16Array;
}

/** Builds the decoding table of RFC 8878, 4.1.1. */
export function fseTable(counts: readonly number[], log: number): FseTable {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  let high = size;
  const next = counts.map((count, symbol) => {
    if (count !== -1) return count;
    symbols[--high] = symbol;
    return 1;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  counts.forEach((count, symbol) => {
    for (let i = 0; i < count; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  });
  if (at !== 0) throw error();
  const bits = new Uint8Array(size);
  const base = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const count = next[symbols[state]!]!++;
    bits[state] = log - (31 - Math.clz32(count));
    base[state] = (count << bits[state]!) - size;
  }
  return { log, symbols, bits, base };
}

/** A table of one symbol that takes no bits. */
export const singleSymbol = (symbol: number): FseTable => ({
  log: 0,
  symbols: Uint8Array.of(symbol),
  bits: new Uint8Array(1),
  base: new Uint16Array(1),
});

/** Reads a table's description; says how many bytes it took. */
export function readFseTable(
  bytes: Uint8Array,
  maxLog: number,
  maxSymbols: number,
): { readonly table: FseTable; readonly length: number } {
  const bits = new ForwardBits(bytes);
  const log = bits.take(4) + 5;
  if (log > maxLog) throw error();
  const counts: number[] = [];
  let left = (1 << log) + 1;
  while (left > 1) {
    if (counts.length >= maxSymbols) throw error();
    const width = 32 - Math.clz32(left);
    const small = (1 << width) - 1 - left;
    let value = bits.peek(width - 1);
    if (value < small) bits.at += width - 1;
    else {
      value = bits.take(width);
      if (value >= 1 << (width - 1)) value -= small;
    }
    const count = value - 1;
    left -= Math.abs(count);
    counts.push(count);
    if (count !== 0) continue;
    for (;;) {
      const zeros = bits.take(2);
      for (let i = 0; i < zeros; i++) counts.push(0);
      if (zeros !== 3) break;
    }
  }
  if (left !== 1 || counts.length > maxSymbols) throw error();
  return { table: fseTable(counts, log), length: bits.bytes };
}

/** A state that walks a table. */
export class FseState {
  readonly #table: FseTable;
  #state: number;

  constructor(table: FseTable, bits: BackwardBits) {
    this.#table = table;
    this.#state = bits.take(table.log);
  }

  get symbol(): number {
    return this.#table.symbols[this.#state]!;
  }

  next(bits: BackwardBits): void {
    this.#state = this.#table.base[this.#state]! + bits.take(this.#table.bits[this.#state]!);
  }
}
