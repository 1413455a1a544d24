import { damaged } from "./bad-packing.ts";
import type { Window } from "./window.ts";

const TOP = 0x1000000;
const START = 1024;

const fresh = (n: number): Uint16Array => new Uint16Array(n).fill(START);

/** The probabilities of match lengths: two to nine, ten to seventeen, longer. */
class LengthModel {
  readonly choice = fresh(2);
  readonly low = fresh(16 << 3);
  readonly mid = fresh(16 << 3);
  readonly high = fresh(256);
}

/** LZMA as LZMA2 uses it: a chunk's bytes are all there before it is unpacked. Follows the LZMA specification of the 7-Zip SDK. */
export class LzmaDecoder {
  readonly #window: Window;
  #lc = 0;
  #lpMask = 0;
  #pbMask = 0;
  #literal = fresh(0);
  #isMatch = fresh(192);
  #isRep = fresh(12);
  #isRepG0 = fresh(12);
  #isRepG1 = fresh(12);
  #isRepG2 = fresh(12);
  #isRep0Long = fresh(192);
  #slot = fresh(4 * 64);
  #special = fresh(128);
  #align = fresh(16);
  #length = new LengthModel();
  #repLength = new LengthModel();
  #state = 0;
  #rep0 = 0;
  #rep1 = 0;
  #rep2 = 0;
  #rep3 = 0;
  // The range coder.
  #in: Uint8Array = new Uint8Array(0);
  #at = 0;
  #range = 0;
  #code = 0;

  constructor(window: Window) {
    this.#window = window;
  }

  /** New properties: how many bits of the last byte and of the position choose a literal's model. */
  properties(byte: number): void {
    if (byte >= 225) throw damaged("xz", "properties");
    const lc = byte % 9;
    const rest = Math.floor(byte / 9);
    const lp = rest % 5;
    if (lc + lp > 4) throw damaged("xz", "properties");
    this.#lc = lc;
    this.#lpMask = (1 << lp) - 1;
    this.#pbMask = (1 << Math.floor(rest / 5)) - 1;
    this.#literal = fresh(0x300 << (lc + lp));
  }

  reset(): void {
    for (const model of [
      this.#literal,
      this.#isMatch,
      this.#isRep,
      this.#isRepG0,
      this.#isRepG1,
      this.#isRepG2,
      this.#isRep0Long,
      this.#slot,
      this.#special,
      this.#align,
    ])
      model.fill(START);
    this.#length = new LengthModel();
    this.#repLength = new LengthModel();
    this.#state = 0;
    this.#rep0 = this.#rep1 = this.#rep2 = this.#rep3 = 0;
  }

  #bit(model: Uint16Array, index: number): number {
    const p = model[index]!;
    const bound = (this.#range >>> 11) * p;
    let bit: number;
    if (this.#code < bound) {
      this.#range = bound;
      model[index] = p + ((2048 - p) >> 5);
      bit = 0;
    } else {
      this.#range = (this.#range - bound) >>> 0;
      this.#code = (this.#code - bound) >>> 0;
      model[index] = p - (p >> 5);
      bit = 1;
    }
    if (this.#range < TOP) {
      this.#range = (this.#range << 8) >>> 0;
      this.#code = ((this.#code << 8) | this.#in[this.#at++]!) >>> 0;
    }
    return bit;
  }

  #tree(model: Uint16Array, from: number, bits: number): number {
    let m = 1;
    for (let i = 0; i < bits; i++) m = (m << 1) | this.#bit(model, from + m);
    return m - (1 << bits);
  }

  #reverse(model: Uint16Array, from: number, bits: number): number {
    let m = 1;
    let symbol = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(model, from + m);
      m = (m << 1) | bit;
      symbol |= bit << i;
    }
    return symbol;
  }

  #direct(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      this.#range >>>= 1;
      let bit = 0;
      if (this.#code >= this.#range) {
        this.#code = (this.#code - this.#range) >>> 0;
        bit = 1;
      }
      value = (value << 1) | bit;
      if (this.#range < TOP) {
        this.#range = (this.#range << 8) >>> 0;
        this.#code = ((this.#code << 8) | this.#in[this.#at++]!) >>> 0;
      }
    }
    return value;
  }

  #lengthOf(model: LengthModel, posState: number): number {
    if (this.#bit(model.choice, 0) === 0) return 2 + this.#tree(model.low, posState << 3, 3);
    if (this.#bit(model.choice, 1) === 0) return 10 + this.#tree(model.mid, posState << 3, 3);
    return 18 + this.#tree(model.high, 0, 8);
  }

  #distance(length: number): number {
    const slot = this.#tree(this.#slot, Math.min(length - 2, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = 2 | (slot & 1);
    if (slot < 14) {
      const base = high << bits;
      return base + this.#reverse(this.#special, base - slot, bits);
    }
    const direct = this.#direct(bits - 4);
    return (((high << bits) >>> 0) + direct * 16 + this.#reverse(this.#align, 0, 4)) >>> 0;
  }

  /** One chunk: all its packed bytes, and how many come out of it. */
  chunk(packed: Uint8Array, size: number): void {
    const window = this.#window;
    window.room(size);
    if (packed.length < 5 || packed[0] !== 0) throw damaged("xz", "a chunk");
    this.#in = packed;
    this.#code = ((packed[1]! << 24) | (packed[2]! << 16) | (packed[3]! << 8) | packed[4]!) >>> 0;
    this.#range = 0xffffffff;
    this.#at = 5;
    const buffer = window.buffer;
    let at = window.at;
    const end = at + size;
    let reach = window.reach;
    // The position that chooses models counts from the last reset of the dictionary.
    let position = this.#position;
    while (at < end) {
      const posState = position & this.#pbMask;
      const state = this.#state;
      if (this.#bit(this.#isMatch, (state << 4) + posState) === 0) {
        const before = reach === 0 ? 0 : buffer[at - 1]!;
        const from = 0x300 * (((position & this.#lpMask) << this.#lc) + (before >> (8 - this.#lc)));
        let symbol = 1;
        if (state >= 7) {
          if (this.#rep0 >= reach) throw damaged("xz", "a distance");
          let match = buffer[at - this.#rep0 - 1]!;
          do {
            const matchBit = (match >> 7) & 1;
            match <<= 1;
            const bit = this.#bit(this.#literal, from + (((1 + matchBit) << 8) + symbol));
            symbol = (symbol << 1) | bit;
            if (matchBit !== bit) break;
          } while (symbol < 0x100);
        }
        while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literal, from + symbol);
        buffer[at++] = symbol;
        position++;
        reach++;
        this.#state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
        continue;
      }
      let length: number;
      if (this.#bit(this.#isRep, state) === 0) {
        this.#rep3 = this.#rep2;
        this.#rep2 = this.#rep1;
        this.#rep1 = this.#rep0;
        length = this.#lengthOf(this.#length, posState);
        this.#rep0 = this.#distance(length);
        this.#state = state < 7 ? 7 : 10;
      } else {
        if (this.#bit(this.#isRepG0, state) === 0) {
          if (this.#bit(this.#isRep0Long, (state << 4) + posState) === 0) {
            if (this.#rep0 >= reach) throw damaged("xz", "a distance");
            buffer[at] = buffer[at - this.#rep0 - 1]!;
            at++;
            position++;
            reach++;
            this.#state = state < 7 ? 9 : 11;
            continue;
          }
        } else {
          let distance: number;
          if (this.#bit(this.#isRepG1, state) === 0) distance = this.#rep1;
          else {
            if (this.#bit(this.#isRepG2, state) === 0) distance = this.#rep2;
            else {
              distance = this.#rep3;
              this.#rep3 = this.#rep2;
            }
            this.#rep2 = this.#rep1;
          }
          this.#rep1 = this.#rep0;
          this.#rep0 = distance;
        }
        length = this.#lengthOf(this.#repLength, posState);
        this.#state = state < 7 ? 8 : 11;
      }
      if (this.#rep0 >= reach || length > end - at) throw damaged("xz", "a distance");
      for (let from = at - this.#rep0 - 1, last = at + length; at < last; ) buffer[at++] = buffer[from++]!;
      position += length;
      reach += length;
    }
    if (this.#at > packed.length) throw damaged("xz", "a chunk");
    window.at = at;
    window.reach = Math.min(reach, at);
    this.#position = position;
  }

  #position = 0;

  /** Bytes that stand in it as they are. */
  plain(bytes: Uint8Array): void {
    const window = this.#window;
    window.room(bytes.length);
    window.buffer.set(bytes, window.at);
    window.at += bytes.length;
    window.reach = Math.min(window.reach + bytes.length, window.at);
    this.#position += bytes.length;
  }

  forget(): void {
    this.#window.forget();
    this.#position = 0;
  }
}
