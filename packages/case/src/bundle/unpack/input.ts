import { cutShort } from "./bad-packing.ts";

/** Packed bytes, piece by piece. */
export type Pieces = Iterable<Uint8Array>;

/** Reads bytes out of pieces, whatever their borders are. */
export class PackedInput {
  readonly #pieces: Iterator<Uint8Array>;
  readonly #format: string;
  #piece: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** How many bytes were taken. */
  taken = 0;

  constructor(pieces: Pieces, format: string) {
    this.#pieces = pieces[Symbol.iterator]();
    this.#format = format;
  }

  /** Whether there is another byte. */
  more(): boolean {
    while (this.#at === this.#piece.length) {
      const next = this.#pieces.next();
      if (next.done === true) return false;
      this.#piece = next.value;
      this.#at = 0;
    }
    return true;
  }

  byte(): number {
    if (!this.more()) throw cutShort(this.#format);
    this.taken++;
    return this.#piece[this.#at++]!;
  }

  /** These many bytes; valid until the next call. */
  bytes(length: number): Uint8Array {
    if (length === 0) return new Uint8Array(0);
    if (!this.more()) throw cutShort(this.#format);
    if (this.#piece.length - this.#at >= length) {
      this.#at += length;
      this.taken += length;
      return this.#piece.subarray(this.#at - length, this.#at);
    }
    const all = new Uint8Array(length);
    for (let got = 0; got < length; ) {
      if (!this.more()) throw cutShort(this.#format);
      const some = this.#piece.subarray(this.#at, this.#at + length - got);
      all.set(some, got);
      got += some.length;
      this.#at += some.length;
      this.taken += some.length;
    }
    return all;
  }

  little(bytes: number): number {
    let value = 0;
    for (let i = 0, scale = 1; i < bytes; i++, scale *= 256) value += this.byte() * scale;
    return value;
  }
}
