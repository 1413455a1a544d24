import { damaged } from "./bad-packing.ts";
import { BackwardBits } from "./zstd-bits.ts";
import { FseState, readFseTable } from "./zstd-fse.ts";

const error = () => damaged("zstd", "literals");
const MAX_BITS = 11;

/** Prefix codes of literals: by the next bits, the symbol and how many bits are its own. */
export interface HuffmanTable {
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
}

/** Weights are written plainly, or through FSE (RFC 8878, 4.2.1). */
export function readHuffmanTable(bytes: Uint8Array): { readonly table: HuffmanTable; readonly length: number } {
  const head = bytes[0];
  if (head === undefined) throw error();
  if (head >= 128) {
    const count = head - 127;
    const length = 1 + ((count + 1) >> 1);
    if (length > bytes.length) throw error();
    const weights = Array.from({ length: count }, (_, i) => {
      const byte = bytes[1 + (i >> 1)]!;
      return i % 2 === 0 ? byte >> 4 : byte & 15;
    });
    return { table: tableOf(weights), length };
  }
  if (1 + head > bytes.length) throw error();
  return { table: tableOf(fseWeights(bytes.subarray(1, 1 + head))), length: 1 + head };
}

function fseWeights(bytes: Uint8Array): readonly number[] {
  const { table, length } = readFseTable(bytes, 6, 13);
  const bits = new BackwardBits(bytes.subarray(length));
  const states = [new FseState(table, bits), new FseState(table, bits)] as const;
  const weights: number[] = [];
  for (let turn = 0; ; turn ^= 1) {
    if (weights.length > 254) throw error();
    weights.push(states[turn as 0 | 1].symbol);
    states[turn as 0 | 1].next(bits);
    if (bits.left < 0) {
      weights.push(states[(turn ^ 1) as 0 | 1].symbol);
      return weights;
    }
  }
}

function tableOf(given: readonly number[]): HuffmanTable {
  const sum = given.reduce((n, w) => n + (w > 0 ? 1 << (w - 1) : 0), 0);
  if (sum === 0) throw error();
  const log = 32 - Math.clz32(sum);
  const rest = (1 << log) - sum;
  // The last weight is what is left of a power of two.
  if (log > MAX_BITS || (rest & (rest - 1)) !== 0) throw error();
  const weights = [...given, 32 - Math.clz32(rest)];
  if (weights.length > 256) throw error();
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const bits = new Uint8Array(size);
  let at = 0;
  for (let weight = 1; weight <= log; weight++) {
    weights.forEach((w, symbol) => {
      if (w !== weight) return;
      const span = 1 << (weight - 1);
      symbols.fill(symbol, at, at + span);
      bits.fill(log + 1 - weight, at, at + span);
      at += span;
    });
  }
  if (at !== size) throw error();
  return { log, symbols, bits };
}

/** Unpacks one stream of literals. */
export function readLiterals(table: HuffmanTable, bytes: Uint8Array, into: Uint8Array): void {
  const bits = new BackwardBits(bytes);
  const { log, symbols, bits: widths } = table;
  const mask = (1 << log) - 1;
  let state = bits.take(log);
  for (let i = 0; i < into.length; i++) {
    into[i] = symbols[state]!;
    const width = widths[state]!;
    state = ((state << width) & mask) | bits.take(width);
  }
  if (bits.left !== -log) throw error();
}
