import type { ObservedTime } from "../../../model/index.ts";
import { Bytes } from "./bytes.ts";
import { type DecodedFrame, decodeFrame } from "./decode-link.ts";

/** One record of a capture file. `frame` is undefined where the link type is not read. */
export interface Recorded {
  readonly number: number;
  readonly time: ObservedTime;
  readonly linkType: number;
  /** The interface's name, where a pcapng says it. */
  readonly device?: string;
  readonly frame: DecodedFrame | undefined;
  /** Bytes the frame had, of which fewer may have been kept. */
  readonly length: number;
}

interface Interface {
  readonly linkType: number;
  /** Seconds a tick. */
  readonly tick: number;
  readonly device?: string;
}

/** More than any capture tool keeps of a frame; a larger record is damage. */
const MAX_RECORD = 0x1000000;

/** Whether a frame is worth decoding. */
export type Look = (data: Uint8Array, from: number, to: number, linkType: number) => boolean;

/**
 * Reads a pcap or pcapng piece by piece: what is not yet whole is kept until the next piece, so that a file of any size
 * takes the memory of its largest record. Damage ends the reading and is said in `problem`.
 */
export class CaptureStream {
  problem: string | undefined;
  #kept = new Uint8Array(0);
  #joined = new Uint8Array(0);
  #kind: "pcap" | "pcapng" | undefined;
  #little = true;
  #tick = 1e-6;
  #linkType = 0;
  #interfaces: Interface[] = [];
  #number = 0;
  #unlooked = 0;
  readonly #look: Look | undefined;

  constructor(look?: Look) {
    this.#look = look;
  }

  /** Frames that were not worth decoding. */
  get unlooked(): number {
    return this.#unlooked;
  }

  push(piece: Uint8Array, each: (record: Recorded) => void): void {
    if (this.problem !== undefined) return;
    let data = piece;
    if (this.#kept.length > 0) {
      const length = this.#kept.length + piece.length;
      // One buffer for all pieces: records are done with when `each` returns.
      if (this.#joined.length < length) this.#joined = new Uint8Array(2 * length);
      data = this.#joined.subarray(0, length);
      data.set(this.#kept);
      data.set(piece, this.#kept.length);
    }
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let at = 0;
    for (;;) {
      const used =
        this.#kind === undefined
          ? this.#begin(view)
          : this.#kind === "pcap"
            ? this.#record(data, view, at, each)
            : this.#block(data, view, at, each);
      if (used === 0) break;
      at += used;
    }
    // A copy, which slice() of Node's buffers is not.
    this.#kept = new Uint8Array(data.subarray(at));
  }

  /** To be called when the file has ended. */
  end(): void {
    if (this.#kept.length > 0 && this.problem === undefined) this.problem = "the file ends in the middle of a packet";
  }

  #begin(view: DataView): number {
    if (view.byteLength < 4) return 0;
    const magic = view.getUint32(0, true);
    if (magic === 0x0a0d0d0a) {
      this.#kind = "pcapng";
      return this.#block(new Uint8Array(0), view, 0, () => {});
    }
    const known = new Map<number, readonly [boolean, number]>([
      [0xa1b2c3d4, [true, 1e-6]],
      [0xd4c3b2a1, [false, 1e-6]],
      [0xa1b23c4d, [true, 1e-9]],
      [0x4d3cb2a1, [false, 1e-9]],
    ]).get(magic);
    if (known === undefined) {
      this.problem = "no pcap or pcapng";
      return 0;
    }
    if (view.byteLength < 24) return 0;
    [this.#little, this.#tick] = known;
    this.#kind = "pcap";
    this.#linkType = view.getUint32(20, this.#little) & 0xffff;
    return 24;
  }

  #record(data: Uint8Array, view: DataView, at: number, each: (record: Recorded) => void): number {
    if (view.byteLength < at + 16) return 0;
    const kept = view.getUint32(at + 8, this.#little);
    if (kept > MAX_RECORD) {
      this.problem = `packet ${this.#number + 1} claims ${kept} bytes`;
      return 0;
    }
    // A file that was made large beforehand, or lost its end in a crash, goes on in zeros, as far as it is said to be long.
    if (isZero(view, at, 16)) {
      this.problem = `nothing but zeros from packet ${this.#number + 1} on`;
      return 0;
    }
    if (view.byteLength < at + 16 + kept) return 0;
    const seconds = view.getUint32(at, this.#little) + view.getUint32(at + 4, this.#little) * this.#tick;
    const length = view.getUint32(at + 12, this.#little);
    this.#emit(data, at + 16, kept, length, seconds, { linkType: this.#linkType, tick: this.#tick }, each);
    return 16 + kept;
  }

  #block(data: Uint8Array, view: DataView, at: number, each: (record: Recorded) => void): number {
    if (view.byteLength < at + 12) return 0;
    const section = view.getUint32(at, true) === 0x0a0d0d0a;
    if (section) {
      const order = view.getUint32(at + 8, true);
      if (order !== 0x1a2b3c4d && order !== 0x4d3c2b1a) {
        this.problem = "a section of unknown byte order";
        return 0;
      }
      this.#little = order === 0x1a2b3c4d;
      this.#interfaces = [];
    }
    const little = this.#little;
    const type = view.getUint32(at, little);
    const size = view.getUint32(at + 4, little);
    if (size < 12 || size % 4 !== 0 || size > MAX_RECORD) {
      this.problem = `a block of ${size} bytes`;
      return 0;
    }
    if (view.byteLength < at + size) return 0;
    if (type === 1 && size >= 20) this.#interfaces.push(interfaceOf(view, at, size, little));
    else if (type === 6 && size >= 32) {
      const card = this.#interfaces[view.getUint32(at + 8, little)];
      const ticks = view.getUint32(at + 12, little) * 0x100000000 + view.getUint32(at + 16, little);
      const kept = Math.min(view.getUint32(at + 20, little), size - 32);
      if (card !== undefined)
        this.#emit(data, at + 28, kept, view.getUint32(at + 24, little), ticks * card.tick, card, each);
    } else if (type === 3 && size >= 16) {
      const card = this.#interfaces[0];
      const length = view.getUint32(at + 8, little);
      if (card !== undefined) this.#emit(data, at + 12, Math.min(length, size - 16), length, 0, card, each);
    }
    return size;
  }

  #emit(
    data: Uint8Array,
    at: number,
    kept: number,
    length: number,
    seconds: number,
    card: Interface,
    each: (record: Recorded) => void,
  ): void {
    this.#number++;
    if (this.#look !== undefined && !this.#look(data, at, at + kept, card.linkType)) {
      this.#unlooked++;
      return;
    }
    each({
      number: this.#number,
      time: { seconds, base: "epoch" },
      linkType: card.linkType,
      ...(card.device === undefined ? {} : { device: card.device }),
      frame: decodeFrame(new Bytes(data, at, at + kept), card.linkType),
      length,
    });
  }
}

const isZero = (view: DataView, at: number, length: number): boolean => {
  for (let i = at; i < at + length; i += 4) if (view.getUint32(i) !== 0) return false;
  return true;
};

/** An interface description block: link type, name (option 2), resolution of its clock (option 9). */
function interfaceOf(view: DataView, at: number, size: number, little: boolean): Interface {
  let tick = 1e-6;
  let device: string | undefined;
  const end = at + size - 4;
  for (let i = at + 16; i + 4 <= end; ) {
    const code = view.getUint16(i, little);
    const length = view.getUint16(i + 2, little);
    if (code === 0 || i + 4 + length > end) break;
    if (code === 2) {
      let name = "";
      for (let k = 0; k < Math.min(length, 64); k++) {
        const c = view.getUint8(i + 4 + k);
        if (c > 32 && c < 127) name += String.fromCharCode(c);
      }
      device = name;
    } else if (code === 9 && length >= 1) {
      const value = view.getUint8(i + 4);
      tick = value < 128 ? 10 ** -value : 2 ** -(value & 127);
    }
    i += 4 + Math.ceil(length / 4) * 4;
  }
  return {
    linkType: view.getUint16(at + 8, little),
    tick,
    ...(device === undefined || device === "" ? {} : { device }),
  };
}
