import { TCP } from "../../model/index.ts";

const WRAP = 0x100000000;
const wrap = (n: number): number => ((n % WRAP) + WRAP) % WRAP;
/** Below this a number of a connection whose beginning was not seen is taken to be counted from that beginning. */
const SMALL = 10_000_000;

interface Bases {
  /** What is subtracted from the sequence numbers of the lower and of the higher endpoint. */
  readonly low: number;
  readonly high: number;
}

export interface Numbers {
  readonly seq?: number;
  readonly ack?: number;
  readonly relative?: true;
}

/**
 * tcpdump counts sequence numbers from each connection's first packet that bears an ACK (print-tcp.c); this undoes it.
 * `absolute`: it was run with -S.
 */
export class Sequences {
  readonly #bases = new Map<string, Bases>();
  readonly #absolute: boolean;

  constructor(absolute: boolean) {
    this.#absolute = absolute;
  }

  resolve(src: string, dst: string, flags: number, seq: number | undefined, ack: number | undefined): Numbers {
    const plain: Numbers = { ...(seq === undefined ? {} : { seq }), ...(ack === undefined ? {} : { ack }) };
    if (this.#absolute || (flags & TCP.ACK) === 0) return plain;
    const swapped = src > dst;
    const key = swapped ? `${dst} ${src}` : `${src} ${dst}`;
    const known = this.#bases.get(key);
    const relativeLooking = (seq === undefined || seq < SMALL) && ack !== undefined && ack < SMALL;
    if ((flags & TCP.SYN) !== 0 || known === undefined) {
      if ((flags & TCP.SYN) === 0 && relativeLooking) return { ...plain, relative: true };
      // A bare ACK shows no sequence number: the base of its direction stays unknown.
      if (seq !== undefined && ack !== undefined)
        this.#bases.set(key, swapped ? { low: wrap(ack - 1), high: seq } : { low: seq, high: wrap(ack - 1) });
      else if (ack !== undefined)
        this.#bases.set(
          key,
          swapped ? { low: wrap(ack - 1), high: Number.NaN } : { low: Number.NaN, high: wrap(ack - 1) },
        );
      return plain;
    }
    const own = swapped ? known.high : known.low;
    const other = swapped ? known.low : known.high;
    const s = seq === undefined ? undefined : undo(seq, own);
    const a = ack === undefined ? undefined : undo(ack, other);
    if (Number.isNaN(s ?? 0) || Number.isNaN(a ?? 0)) return { ...plain, relative: true };
    return { ...(s === undefined ? {} : { seq: s }), ...(a === undefined ? {} : { ack: a }) };
  }
}

/** A large number close to the base was not counted from it: the text stems from `-S` or from another run. */
const undo = (value: number, base: number): number =>
  value >= 0x10000000 && wrap(value - base) < 0x1000000 ? value : wrap(value + base);
