import { damaged } from "./bad-packing.ts";

const error = () => damaged("zstd", "a bit stream");

/** Bits read from the end of a stream to its beginning, as zstd's entropy coders write them. */
export class BackwardBits {
  readonly #bytes: Uint8Array;
  /** Bits that are left. Below zero, zeros are read, until that is noticed. */
  left: number;

  constructor(bytes: Uint8Array) {
    const last = bytes[bytes.length - 1];
    if (last === undefined || last === 0) throw error();
    this.#bytes = bytes;
    this.left = bytes.length * 8 - (Math.clz32(last) - 23);
  }

  /** Up to 32 of them. */
  take(bits: number): number {
    if (bits === 0) return 0;
    this.left -= bits;
    const from = this.left;
    if (from >= 0 && bits <= 24) {
      const at = from >> 3;
      const b = this.#bytes;
      const word = b[at]! | (b[at + 1]! << 8) | (b[at + 2]! << 16) | (b[at + 3]! << 24);
      return (word >>> (from & 7)) & ((1 << bits) - 1);
    }
    let value = 0;
    // At most five bytes hold them.
    const first = from >> 3;
    const shift = from & 7;
    for (let i = 0, scale = 1; i * 8 < bits + shift; i++, scale *= 256) {
      value += (first + i < 0 ? 0 : (this.#bytes[first + i] ?? 0)) * scale;
    }
    return Math.floor(value / 2 ** shift) % 2 ** bits;
  }
}

/** Bits from the beginning, for the descriptions of FSE tables. */
export class ForwardBits {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  peek(bits: number): number {
    const first = this.at >> 3;
    const value =
      (this.#bytes[first] ?? 0) | ((this.#bytes[first + 1] ?? 0) << 8) | ((this.#bytes[first + 2] ?? 0) << 16);
    return (value >> (this.at & 7)) & ((1 << bits) - 1);
  }

  take(bits: number): number {
    const value = this.peek(bits);
    this.at += bits;
    return value;
  }

  /** Whole bytes that were taken. */
  get bytes(): number {
    const bytes = (this.at + 7) >> 3;
    if (bytes > this.#bytes.length) throw error();
    return bytes;
  }
}
