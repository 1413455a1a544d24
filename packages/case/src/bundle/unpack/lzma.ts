import { damaged } from "./bad-packing.ts";
import type { Window } from "./window.ts";

const TOP = 0x1000000;
const START = 1024;

/** Where each model begins; they lie in one array, so that the loop below keeps hold of one. */
const IS_MATCH = 0;
const IS_REP = IS_MATCH + 192;
const IS_REP_G0 = IS_REP + 12;
const IS_REP_G1 = IS_REP_G0 + 12;
const IS_REP_G2 = IS_REP_G1 + 12;
const IS_REP0_LONG = IS_REP_G2 + 12;
const SLOT = IS_REP0_LONG + 192;
const SPECIAL = SLOT + 4 * 64;
const ALIGN = SPECIAL + 128;
const LENGTH = ALIGN + 16;
/** Of a length: two choices, two to nine, ten to seventeen, longer. */
const LOW = 2;
const MID = LOW + (16 << 3);
const HIGH = MID + (16 << 3);
const REP_LENGTH = LENGTH + HIGH + 256;
const LITERAL = REP_LENGTH + HIGH + 256;

/** LZMA as LZMA2 uses it: a chunk's bytes are all there before it is unpacked. Follows the LZMA specification of the 7-Zip SDK. */
export class LzmaDecoder {
  readonly #window: Window;
  #lc = 0;
  #lpMask = 0;
  #pbMask = 0;
  #models = new Uint16Array(LITERAL);
  #state = 0;
  #rep0 = 0;
  #rep1 = 0;
  #rep2 = 0;
  #rep3 = 0;
  /** Counts from the last reset of the dictionary: it chooses models. */
  #position = 0;

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
    this.#models = new Uint16Array(LITERAL + (0x300 << (lc + lp)));
  }

  reset(): void {
    this.#models.fill(START);
    this.#state = 0;
    this.#rep0 = this.#rep1 = this.#rep2 = this.#rep3 = 0;
  }

  /**
   * One chunk: all its packed bytes, and how many come out of it. One function, with the range coder in its own variables and each bit read in place: three
   * quarters of all time goes into the nine lines that read one, and as a method with fields they took twice as long.
   */
  chunk(packed: Uint8Array, size: number): void {
    const window = this.#window;
    window.room(size);
    if (packed.length < 5 || packed[0] !== 0) throw damaged("xz", "a chunk");
    const models = this.#models;
    const [lc, lpMask, pbMask] = [this.#lc, this.#lpMask, this.#pbMask];
    const buffer = window.buffer;
    let code = ((packed[1]! << 24) | (packed[2]! << 16) | (packed[3]! << 8) | packed[4]!) >>> 0;
    let range = 0xffffffff;
    let next = 5;
    let at = window.at;
    const end = at + size;
    let reach = window.reach;
    let position = this.#position;
    let state = this.#state;
    let [rep0, rep1, rep2, rep3] = [this.#rep0, this.#rep1, this.#rep2, this.#rep3];
    let p = 0;
    let bound = 0;
    let i = 0;
    while (at < end) {
      const posState = position & pbMask;
      i = IS_MATCH + (state << 4) + posState;
      p = models[i]!;
      bound = Math.imul(range >>> 11, p) >>> 0;
      if (code < bound) {
        range = bound;
        models[i] = p + ((2048 - p) >> 5);
        if (range < TOP) {
          range = (range << 8) >>> 0;
          code = ((code << 8) | packed[next++]!) >>> 0;
        }
        const before = reach === 0 ? 0 : buffer[at - 1]!;
        const from = LITERAL + 0x300 * (((position & lpMask) << lc) + (before >> (8 - lc)));
        let symbol = 1;
        if (state >= 7) {
          if (rep0 >= reach) throw damaged("xz", "a distance");
          // The byte that a match would have copied tells what this one is not.
          let match = buffer[at - rep0 - 1]!;
          let offset = 0x100;
          do {
            match <<= 1;
            const matchBit = match & offset;
            i = from + offset + matchBit + symbol;
            p = models[i]!;
            bound = Math.imul(range >>> 11, p) >>> 0;
            if (code < bound) {
              range = bound;
              models[i] = p + ((2048 - p) >> 5);
              symbol <<= 1;
              offset &= ~matchBit;
            } else {
              range = (range - bound) >>> 0;
              code = (code - bound) >>> 0;
              models[i] = p - (p >> 5);
              symbol = (symbol << 1) | 1;
              offset &= matchBit;
            }
            if (range < TOP) {
              range = (range << 8) >>> 0;
              code = ((code << 8) | packed[next++]!) >>> 0;
            }
          } while (symbol < 0x100);
        } else {
          do {
            i = from + symbol;
            p = models[i]!;
            bound = Math.imul(range >>> 11, p) >>> 0;
            if (code < bound) {
              range = bound;
              models[i] = p + ((2048 - p) >> 5);
              symbol <<= 1;
            } else {
              range = (range - bound) >>> 0;
              code = (code - bound) >>> 0;
              models[i] = p - (p >> 5);
              symbol = (symbol << 1) | 1;
            }
            if (range < TOP) {
              range = (range << 8) >>> 0;
              code = ((code << 8) | packed[next++]!) >>> 0;
            }
          } while (symbol < 0x100);
        }
        buffer[at++] = symbol;
        position++;
        reach++;
        state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
        continue;
      }
      range = (range - bound) >>> 0;
      code = (code - bound) >>> 0;
      models[i] = p - (p >> 5);
      if (range < TOP) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | packed[next++]!) >>> 0;
      }

      // Which of the last four distances, or a new one: up to four bits, each of its own model.
      let kind = 0;
      i = IS_REP + state;
      for (;;) {
        p = models[i]!;
        bound = Math.imul(range >>> 11, p) >>> 0;
        let bit = 0;
        if (code < bound) {
          range = bound;
          models[i] = p + ((2048 - p) >> 5);
        } else {
          range = (range - bound) >>> 0;
          code = (code - bound) >>> 0;
          models[i] = p - (p >> 5);
          bit = 1;
        }
        if (range < TOP) {
          range = (range << 8) >>> 0;
          code = ((code << 8) | packed[next++]!) >>> 0;
        }
        if (kind === NEW) {
          if (bit === 0) break;
          kind = LAST;
          i = IS_REP_G0 + state;
        } else if (kind === LAST) {
          if (bit === 0) {
            kind = LAST_LONG;
            i = IS_REP0_LONG + (state << 4) + posState;
          } else {
            kind = SECOND;
            i = IS_REP_G1 + state;
          }
        } else if (kind === LAST_LONG) {
          if (bit === 0) kind = LAST_BYTE;
          break;
        } else if (kind === SECOND) {
          if (bit === 0) break;
          kind = THIRD;
          i = IS_REP_G2 + state;
        } else {
          if (bit === 1) kind = FOURTH;
          break;
        }
      }
      if (kind === LAST_BYTE) {
        if (rep0 >= reach) throw damaged("xz", "a distance");
        buffer[at] = buffer[at - rep0 - 1]!;
        at++;
        position++;
        reach++;
        state = state < 7 ? 9 : 11;
        continue;
      }
      if (kind === SECOND || kind === THIRD || kind === FOURTH) {
        const distance = kind === SECOND ? rep1 : kind === THIRD ? rep2 : rep3;
        if (kind === FOURTH) rep3 = rep2;
        if (kind !== SECOND) rep2 = rep1;
        rep1 = rep0;
        rep0 = distance;
      }

      // Its length: two choices of how many bits, then these.
      const lengths = kind === NEW ? LENGTH : REP_LENGTH;
      let tree = lengths + LOW + (posState << 3);
      let bits = 3;
      let length = 2;
      for (let choice = 0; choice < 2; choice++) {
        i = lengths + choice;
        p = models[i]!;
        bound = Math.imul(range >>> 11, p) >>> 0;
        const short = code < bound;
        if (short) {
          range = bound;
          models[i] = p + ((2048 - p) >> 5);
        } else {
          range = (range - bound) >>> 0;
          code = (code - bound) >>> 0;
          models[i] = p - (p >> 5);
          tree = choice === 0 ? lengths + MID + (posState << 3) : lengths + HIGH;
          bits = choice === 0 ? 3 : 8;
          length = choice === 0 ? 10 : 18;
        }
        if (range < TOP) {
          range = (range << 8) >>> 0;
          code = ((code << 8) | packed[next++]!) >>> 0;
        }
        if (short) break;
      }
      // Once for the length and, of a new distance, once for its slot.
      let slot = 0;
      for (;;) {
        let m = 1;
        for (let n = 0; n < bits; n++) {
          i = tree + m;
          p = models[i]!;
          bound = Math.imul(range >>> 11, p) >>> 0;
          if (code < bound) {
            range = bound;
            models[i] = p + ((2048 - p) >> 5);
            m <<= 1;
          } else {
            range = (range - bound) >>> 0;
            code = (code - bound) >>> 0;
            models[i] = p - (p >> 5);
            m = (m << 1) | 1;
          }
          if (range < TOP) {
            range = (range << 8) >>> 0;
            code = ((code << 8) | packed[next++]!) >>> 0;
          }
        }
        if (bits === 6) {
          slot = m - 64;
          break;
        }
        length += m - (1 << bits);
        if (kind !== NEW) break;
        bits = 6;
        tree = SLOT + ((length < 6 ? length - 2 : 3) << 6);
      }
      if (kind !== NEW) state = state < 7 ? 8 : 11;
      else {
        rep3 = rep2;
        rep2 = rep1;
        rep1 = rep0;
        rep0 = slot;
        state = state < 7 ? 7 : 10;
        if (slot >= 4) {
          let low = (slot >> 1) - 1;
          rep0 = ((2 | (slot & 1)) << low) >>> 0;
          tree = SPECIAL + rep0 - slot;
          if (slot >= 14) {
            // All but the last four bits of a far distance are as likely one as the other.
            let direct = 0;
            for (low -= 4; low > 0; low--) {
              range >>>= 1;
              direct <<= 1;
              if (code >= range) {
                code = (code - range) >>> 0;
                direct |= 1;
              }
              if (range < TOP) {
                range = (range << 8) >>> 0;
                code = ((code << 8) | packed[next++]!) >>> 0;
              }
            }
            rep0 = (rep0 + direct * 16) >>> 0;
            tree = ALIGN;
            low = 4;
          }
          let m = 1;
          for (let n = 0; n < low; n++) {
            i = tree + m;
            p = models[i]!;
            bound = Math.imul(range >>> 11, p) >>> 0;
            if (code < bound) {
              range = bound;
              models[i] = p + ((2048 - p) >> 5);
              m <<= 1;
            } else {
              range = (range - bound) >>> 0;
              code = (code - bound) >>> 0;
              models[i] = p - (p >> 5);
              m = (m << 1) | 1;
              rep0 = (rep0 + (1 << n)) >>> 0;
            }
            if (range < TOP) {
              range = (range << 8) >>> 0;
              code = ((code << 8) | packed[next++]!) >>> 0;
            }
          }
        }
      }
      if (rep0 >= reach || length > end - at) throw damaged("xz", "a distance");
      for (let from = at - rep0 - 1, last = at + length; at < last; ) buffer[at++] = buffer[from++]!;
      position += length;
      reach += length;
    }
    if (next > packed.length) throw damaged("xz", "a chunk");
    window.at = at;
    window.reach = Math.min(reach, at);
    this.#position = position;
    this.#state = state;
    this.#rep0 = rep0;
    this.#rep1 = rep1;
    this.#rep2 = rep2;
    this.#rep3 = rep3;
  }

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

/** What a match is: a new distance, the last one (of one byte or more), or one of the three before. */
const NEW = 0;
const LAST = 1;
const LAST_LONG = 2;
const LAST_BYTE = 3;
const SECOND = 4;
const THIRD = 5;
const FOURTH = 6;
