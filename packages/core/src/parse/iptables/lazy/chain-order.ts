import { destinationOf } from "./place-index.ts";
import type { Range } from "./scanned-table.ts";

/** In which place of another chain each of the lines stands; and the other way round. */
export class ChainOrder {
  readonly places: Int32Array;
  #back: Int32Array | undefined = undefined;

  constructor(places: Int32Array) {
    this.places = places;
  }

  /** By the places there, those here. */
  get back(): Int32Array {
    if (this.#back === undefined) {
      this.#back = new Int32Array(this.places.length);
      for (const [place, other] of this.places.entries()) this.#back[other] = place;
    }
    return this.#back;
  }
}

/** Of a line that everybody meets. */
const EVERYBODY = -1;
const PORT =
  / (?:-d [\d./]{7,18} )?-p (tcp|udp|sctp) (?:-m comment --comment (?:"[^"\\\n]*"|[^"\s]+) )?-m \1 --dport (\d{1,5}) /y;

/**
 * Lines of a chain by the one destination that each is for, or where none names one, by the port: a packet that one of them is for never matches those
 * for another, so that in which order they stand is no matter. kube-proxy writes the Services in the order of a Go map, another one at every start.
 */
export class GuardedLines {
  readonly #nameLength: number;
  /** The first line of each text; the others stand in `next`. */
  readonly #places = new Map<string, number>();
  readonly #next: Int32Array;
  /** Whom each is for, by a number. */
  readonly #guards: Int32Array;
  /** How many that everybody meets stand before it. */
  readonly #ranks: Int32Array;
  readonly #guardCount: number;

  constructor(text: string, range: Range, nameLength: number) {
    this.#nameLength = nameLength;
    const begins: number[] = [];
    const last = new Map<string, number>();
    for (let at = range.from; at < range.end; at = endOf(text, at) + 1) begins.push(at);
    const count = begins.length;
    this.#next = new Int32Array(count).fill(-1);
    for (const [place, at] of begins.entries()) {
      const line = text.slice(at, endOf(text, at));
      const before = last.get(line);
      if (before === undefined) this.#places.set(line, place);
      else this.#next[before] = place;
      last.set(line, place);
    }
    const isByDestination = begins.some((at) => this.#destination(text, at) !== undefined);
    this.#guards = new Int32Array(count);
    this.#ranks = new Int32Array(count);
    const numbers = new Map<unknown, number>();
    let rank = 0;
    for (const [place, at] of begins.entries()) {
      const guard = isByDestination ? this.#destination(text, at) : this.#port(text, at);
      this.#ranks[place] = rank;
      if (guard === undefined) rank++;
      let number = guard === undefined ? EVERYBODY : numbers.get(guard);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(guard, number);
      }
      this.#guards[place] = number;
    }
    this.#guardCount = numbers.size;
  }

  /** The order of these lines, where they are the same and every packet meets them as it meets those here. */
  orderOf(text: string, { from, end }: Range): ChainOrder | undefined {
    const count = this.#guards.length;
    const places = new Int32Array(count);
    const taken = new Uint8Array(count);
    const last = new Int32Array(this.#guardCount).fill(-1);
    let lastOfAll = -1;
    let rank = 0;
    let own = 0;
    for (let at = from; at < end; own++) {
      const stop = endOf(text, at);
      let place = this.#places.get(text.slice(at, stop)) ?? -1;
      while (place >= 0 && taken[place] === 1) place = this.#next[place]!;
      if (place < 0) return undefined;
      taken[place] = 1;
      places[own] = place;
      const guard = this.#guards[place]!;
      if (this.#ranks[place] !== rank) return undefined;
      if (guard === EVERYBODY) {
        if (place < lastOfAll) return undefined;
        lastOfAll = place;
        rank++;
      } else {
        if (place < last[guard]!) return undefined;
        last[guard] = place;
      }
      at = stop + 1;
    }
    return own === count ? new ChainOrder(places) : undefined;
  }

  #destination(text: string, at: number): unknown {
    // A list of addresses is more than one rule.
    return text.slice(at, endOf(text, at)).includes(",") ? undefined : destinationOf(text, at, this.#nameLength);
  }

  #port(text: string, at: number): string | undefined {
    PORT.lastIndex = at + "-A ".length + this.#nameLength;
    const found = PORT.exec(text);
    return found === null ? undefined : `${found[1]} ${found[2]}`;
  }
}

function endOf(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
