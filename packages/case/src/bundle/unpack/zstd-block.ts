import { damaged } from "./bad-packing.ts";
import type { Window } from "./window.ts";
import { BackwardBits } from "./zstd-bits.ts";
import { FseState, type FseTable, fseTable, readFseTable, singleSymbol } from "./zstd-fse.ts";
import { type HuffmanTable, readHuffmanTable, readLiterals } from "./zstd-huffman.ts";

const error = (what: string) => damaged("zstd", what);
const MOST = 1 << 17;

const LITERAL_BASE = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024,
  2048, 4096, 8192, 16384, 32768, 65536,
];
const LITERAL_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
];
const MATCH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
  34, 35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539,
];
const MATCH_BITS = [
  ...new Array<number>(32).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
];
const DEFAULT_LITERALS = fseTable(
  [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
  6,
);
const DEFAULT_MATCHES = fseTable(
  [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
  ],
  6,
);
const DEFAULT_OFFSETS = fseTable(
  [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
  5,
);

type Kind = "literals" | "offsets" | "matches";
const DEFAULTS: Readonly<Record<Kind, FseTable>> = {
  literals: DEFAULT_LITERALS,
  offsets: DEFAULT_OFFSETS,
  matches: DEFAULT_MATCHES,
};
const LIMITS: Readonly<Record<Kind, readonly [log: number, symbols: number]>> = {
  literals: [9, 36],
  offsets: [8, 32],
  matches: [9, 53],
};

/** The blocks of one frame: tables and offsets carry over from block to block. */
export class BlockDecoder {
  readonly #window: Window;
  #huffman: HuffmanTable | undefined;
  readonly #tables: { [K in Kind]?: FseTable } = {};
  #offsets: [number, number, number] = [1, 4, 8];

  constructor(window: Window) {
    this.#window = window;
  }

  plain(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#window.room(length);
    this.#window.buffer.set(bytes, this.#window.at);
    this.#window.at += length;
  }

  repeated(byte: number, times: number): void {
    this.#window.room(times);
    this.#window.buffer.fill(byte, this.#window.at, this.#window.at + times);
    this.#window.at += times;
  }

  compressed(bytes: Uint8Array): void {
    const { literals, length } = this.#literals(bytes);
    this.#sequences(bytes.subarray(length), literals);
  }

  /** RFC 8878, 3.1.1.3.1. */
  #literals(bytes: Uint8Array): { readonly literals: Uint8Array; readonly length: number } {
    const head = bytes[0];
    if (head === undefined) throw error("a block");
    const type = head & 3;
    const format = (head >> 2) & 3;
    const at = (i: number): number => bytes[i] ?? 0;
    if (type < 2) {
      const [size, from] =
        (format & 1) === 0
          ? [head >> 3, 1]
          : format === 1
            ? [(head >> 4) | (at(1) << 4), 2]
            : [(head >> 4) | (at(1) << 4) | (at(2) << 12), 3];
      if (size > MOST) throw error("literals");
      if (type === 1) return { literals: new Uint8Array(size).fill(at(from)), length: from + 1 };
      if (from + size > bytes.length) throw error("literals");
      return { literals: bytes.subarray(from, from + size), length: from + size };
    }
    const width = format < 2 ? 10 : format === 2 ? 14 : 18;
    const from = format < 2 ? 3 : format === 2 ? 4 : 5;
    const word = at(0) + at(1) * 2 ** 8 + at(2) * 2 ** 16 + at(3) * 2 ** 24 + at(4) * 2 ** 32;
    const size = Math.floor(word / 16) % 2 ** width;
    const packed = Math.floor(word / 2 ** (4 + width)) % 2 ** width;
    if (size > MOST || from + packed > bytes.length) throw error("literals");
    let rest = bytes.subarray(from, from + packed);
    if (type === 2) {
      const { table, length } = readHuffmanTable(rest);
      this.#huffman = table;
      rest = rest.subarray(length);
    }
    if (this.#huffman === undefined) throw error("literals");
    const literals = new Uint8Array(size);
    if (format === 0) readLiterals(this.#huffman, rest, literals);
    else fourStreams(this.#huffman, rest, literals);
    return { literals, length: from + packed };
  }

  #table(kind: Kind, mode: number, bytes: Uint8Array): number {
    if (mode === 0) this.#tables[kind] = DEFAULTS[kind];
    else if (mode === 1) {
      const symbol = bytes[0];
      if (symbol === undefined || symbol >= LIMITS[kind][1]) throw error("a table");
      this.#tables[kind] = singleSymbol(symbol);
      return 1;
    } else if (mode === 2) {
      const { table, length } = readFseTable(bytes, ...LIMITS[kind]);
      this.#tables[kind] = table;
      return length;
    }
    return 0;
  }

  /** RFC 8878, 3.1.1.3.2: literals and copies of what came before, in turn. */
  #sequences(bytes: Uint8Array, literals: Uint8Array): void {
    const head = bytes[0];
    if (head === undefined) throw error("a block");
    let at = 1;
    let count = head;
    if (head >= 255) {
      count = (bytes[1] ?? 0) + ((bytes[2] ?? 0) << 8) + 0x7f00;
      at = 3;
    } else if (head >= 128) {
      count = ((head - 128) << 8) + (bytes[1] ?? 0);
      at = 2;
    }
    if (count === 0) {
      this.plain(literals);
      return;
    }
    const modes = bytes[at++] ?? 0;
    at += this.#table("literals", modes >> 6, bytes.subarray(at));
    at += this.#table("offsets", (modes >> 4) & 3, bytes.subarray(at));
    at += this.#table("matches", (modes >> 2) & 3, bytes.subarray(at));
    const { literals: l, offsets: o, matches: m } = this.#tables;
    if (l === undefined || o === undefined || m === undefined) throw error("a table");
    const bits = new BackwardBits(bytes.subarray(at));
    const literal = new FseState(l, bits);
    const offset = new FseState(o, bits);
    const match = new FseState(m, bits);
    let used = 0;
    let room = MOST;
    for (let i = 0; i < count; i++) {
      const code = offset.symbol;
      const raw = 2 ** code + bits.take(code);
      const length = MATCH_BASE[match.symbol]! + bits.take(MATCH_BITS[match.symbol]!);
      const plain = LITERAL_BASE[literal.symbol]! + bits.take(LITERAL_BITS[literal.symbol]!);
      if (i < count - 1) {
        literal.next(bits);
        match.next(bits);
        offset.next(bits);
      }
      room -= plain + length;
      if (used + plain > literals.length || room < 0 || bits.left < 0) throw error("a sequence");
      this.plain(literals.subarray(used, used + plain));
      used += plain;
      this.#copy(this.#offset(raw, plain), length);
    }
    if (bits.left !== 0) throw error("a sequence");
    this.plain(literals.subarray(used));
  }

  /** The last three offsets have short names. */
  #offset(raw: number, literals: number): number {
    const [first, second, third] = this.#offsets;
    if (raw > 3) {
      this.#offsets = [raw - 3, first, second];
      return raw - 3;
    }
    const index = raw + (literals === 0 ? 1 : 0);
    if (index === 1) return first;
    const offset = index === 2 ? second : index === 3 ? third : first - 1;
    this.#offsets = index === 2 ? [second, first, third] : [offset, first, second];
    return offset;
  }

  #copy(offset: number, length: number): void {
    const window = this.#window;
    window.room(length);
    if (offset <= 0 || offset > window.at) throw error("an offset");
    const { buffer } = window;
    for (let from = window.at - offset, last = window.at + length; window.at < last; )
      buffer[window.at++] = buffer[from++]!;
  }
}

function fourStreams(table: HuffmanTable, bytes: Uint8Array, into: Uint8Array): void {
  if (bytes.length < 6) throw error("literals");
  const size = (i: number): number => bytes[2 * i]! | (bytes[2 * i + 1]! << 8);
  const share = (into.length + 3) >> 2;
  let from = 6;
  for (let i = 0; i < 4; i++) {
    const end = i < 3 ? from + size(i) : bytes.length;
    if (end > bytes.length || share * i > into.length) throw error("literals");
    readLiterals(table, bytes.subarray(from, end), into.subarray(share * i, i < 3 ? share * (i + 1) : into.length));
    from = end;
  }
}
