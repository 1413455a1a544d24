import { refused } from "./bad-packing.ts";

/** What is handed on at once. */
const PIECE = 1 << 20;

/**
 * What was unpacked last, for matches to copy from. It grows with what was written, not with what a header claims, up to the size
 * that the format asks for.
 */
export class Window {
  readonly #most: number;
  readonly #size: number;
  buffer: Uint8Array;
  /** Where the next byte goes. */
  at = 0;
  /** Up to where it was handed on. */
  #told = 0;
  /** Bytes that matches may reach back to. */
  reach = 0;

  constructor(format: string, size: number, mostAllowed: number) {
    if (size > mostAllowed)
      throw refused(`its ${format} data needs a window of ${Math.ceil(size / 2 ** 20)} MiB; that is refused`);
    this.#most = size + 2 * PIECE;
    this.#size = size;
    this.buffer = new Uint8Array(Math.min(this.#most, 2 * PIECE));
  }

  /** Makes room for so many more bytes (at most a piece, but for zstd and LZMA2 two of them). */
  room(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const keep = Math.min(Math.max(this.#size, this.pending), this.at);
    if (this.at - keep >= this.buffer.length >> 1 && keep + bytes <= this.buffer.length) {
      this.buffer.copyWithin(0, this.at - keep, this.at);
    } else {
      const grown = new Uint8Array(
        Math.max(keep + bytes, Math.min(Math.max(this.#most, keep + bytes), this.buffer.length * 2)),
      );
      grown.set(this.buffer.subarray(this.at - keep, this.at));
      this.buffer = grown;
    }
    this.#told -= this.at - keep;
    this.at = keep;
  }

  /** Forgets what came before: matches may not reach it any more. */
  forget(): void {
    this.reach = 0;
  }

  /** What was written since the last call. */
  take(): Uint8Array {
    const piece = this.buffer.slice(this.#told, this.at);
    this.#told = this.at;
    return piece;
  }

  get pending(): number {
    return this.at - this.#told;
  }
}
