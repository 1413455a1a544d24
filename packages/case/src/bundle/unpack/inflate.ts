import { damaged } from "./bad-packing.ts";
import { crc32 } from "./crc.ts";
import { PackedInput, type Pieces } from "./input.ts";
import { Window } from "./window.ts";

/** Canonical Huffman codes: how many there are of each length, and the symbols in their order. */
interface Codes {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

const MAX_BITS = 15;

function codesOf(lengths: Uint8Array): Codes {
  const counts = new Uint16Array(MAX_BITS + 1);
  for (const length of lengths) counts[length]!++;
  const offsets = new Uint16Array(MAX_BITS + 2);
  for (let bits = 1; bits <= MAX_BITS; bits++) offsets[bits + 1] = offsets[bits]! + counts[bits]!;
  const symbols = new Uint16Array(lengths.length);
  lengths.forEach((length, symbol) => {
    if (length !== 0) symbols[offsets[length]!++] = symbol;
  });
  counts[0] = 0;
  return { counts, symbols };
}

const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const DISTANCE_BITS = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

const FIXED_LENGTHS = codesOf(
  Uint8Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)),
);
const FIXED_DISTANCES = codesOf(new Uint8Array(30).fill(5));

/** Bits from the low end of each byte. */
class Bits {
  readonly input: PackedInput;
  #held = 0;
  #count = 0;

  constructor(input: PackedInput) {
    this.input = input;
  }

  take(bits: number): number {
    while (this.#count < bits) {
      this.#held |= this.input.byte() << this.#count;
      this.#count += 8;
    }
    const value = this.#held & ((1 << bits) - 1);
    this.#held >>>= bits;
    this.#count -= bits;
    return value;
  }

  /** To the next whole byte. */
  align(): void {
    this.#held = 0;
    this.#count = 0;
  }

  symbol({ counts, symbols }: Codes): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let bits = 1; bits <= MAX_BITS; bits++) {
      code |= this.take(1);
      const count = counts[bits]!;
      if (code - first < count) return symbols[index + code - first]!;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw damaged("deflate", "a code");
  }
}

const PIECE = 1 << 16;

/** Unpacks DEFLATE (RFC 1951), as zip and gzip use it. */
export function* inflate(input: PackedInput): Generator<Uint8Array> {
  const bits = new Bits(input);
  const window = new Window("deflate", 32_768, 32_768);
  for (let last = false; !last; ) {
    last = bits.take(1) === 1;
    const type = bits.take(2);
    if (type === 3) throw damaged("deflate", "a block");
    if (type === 0) yield* stored(bits, window);
    else {
      const [lengths, distances] = type === 1 ? [FIXED_LENGTHS, FIXED_DISTANCES] : dynamicCodes(bits);
      yield* compressed(bits, window, lengths, distances);
    }
  }
  if (window.pending > 0) yield window.take();
}

function* stored(bits: Bits, window: Window): Generator<Uint8Array> {
  bits.align();
  const length = bits.input.little(2);
  if ((length ^ bits.input.little(2)) !== 0xffff) throw damaged("deflate", "a stored block");
  window.room(length);
  window.buffer.set(bits.input.bytes(length), window.at);
  window.at += length;
  yield window.take();
}

function dynamicCodes(bits: Bits): readonly [Codes, Codes] {
  const lengths = bits.take(5) + 257;
  const distances = bits.take(5) + 1;
  const orders = bits.take(4) + 4;
  const meta = new Uint8Array(19);
  for (let i = 0; i < orders; i++) meta[ORDER[i]!] = bits.take(3);
  const metaCodes = codesOf(meta);
  const all = new Uint8Array(lengths + distances);
  for (let i = 0; i < all.length; ) {
    const symbol = bits.symbol(metaCodes);
    if (symbol < 16) {
      all[i++] = symbol;
      continue;
    }
    const repeated = symbol === 16 ? all[i - 1] : 0;
    const times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    if (repeated === undefined || i + times > all.length) throw damaged("deflate", "code lengths");
    all.fill(repeated, i, i + times);
    i += times;
  }
  return [codesOf(all.subarray(0, lengths)), codesOf(all.subarray(lengths))];
}

function* compressed(bits: Bits, window: Window, lengths: Codes, distances: Codes): Generator<Uint8Array> {
  for (;;) {
    window.room(258);
    const symbol = bits.symbol(lengths);
    if (symbol === 256) return;
    if (symbol < 256) window.buffer[window.at++] = symbol;
    else {
      const base = LENGTH_BASE[symbol - 257];
      if (base === undefined) throw damaged("deflate", "a length");
      const length = base + bits.take(LENGTH_BITS[symbol - 257]!);
      const code = bits.symbol(distances);
      const distance = DISTANCE_BASE[code];
      if (distance === undefined) throw damaged("deflate", "a distance");
      const back = distance + bits.take(DISTANCE_BITS[code]!);
      if (back > window.at) throw damaged("deflate", "a distance");
      const { buffer } = window;
      for (let i = 0, at = window.at; i < length; i++, at++) buffer[at] = buffer[at - back]!;
      window.at += length;
    }
    if (window.pending >= PIECE) yield window.take();
  }
}

/** Unpacks gzip (RFC 1952); members may follow each other. */
export function* gunzip(pieces: Pieces): Generator<Uint8Array> {
  const input = new PackedInput(pieces, "gzip");
  for (let first = true; first || input.more(); first = false) {
    // Zeros after the last member are padding.
    const magic = input.byte();
    if (!first && magic === 0) continue;
    if (magic !== 0x1f || input.byte() !== 0x8b || input.byte() !== 8) throw damaged("gzip", "a header");
    const flags = input.byte();
    input.bytes(6);
    if ((flags & 4) !== 0) input.bytes(input.little(2));
    if ((flags & 8) !== 0) while (input.byte() !== 0);
    if ((flags & 16) !== 0) while (input.byte() !== 0);
    if ((flags & 2) !== 0) input.bytes(2);
    let sum = 0;
    for (const piece of inflate(input)) {
      sum = crc32(piece, sum);
      yield piece;
    }
    if (input.little(4) !== sum) throw damaged("gzip", "its checksum differs");
    input.little(4);
  }
}
