import { type Ipv4, parseIpv4 } from "../../../net/index.ts";
import type { ChainOrder } from "./chain-order.ts";
import type { Run } from "./lines.ts";

const DESTINATION = " -d ";
const ONE_HOST = "/32 ";

/** Where the lines of a long chain begin, by their places, and which may match a packet for a destination. */
export interface LineIndex {
  readonly starts: ArrayLike<number>;
  /** Lines for more than one address, or of which that is not known. */
  readonly rest: readonly number[];
  at(destination: Ipv4): readonly number[];
}

/** Where the lines of a long chain begin, and which are for one address that stands in front: of text alone, so that tables which share it share this. */
export class PlaceIndex implements LineIndex {
  private readonly exact = new Map<Ipv4, number[]>();
  readonly rest: readonly number[];
  readonly starts: readonly number[];
  private readonly known = new Map<Ipv4, readonly number[]>();

  constructor(text: string, nameLength: number, runs: readonly Run[]) {
    const rest: number[] = [];
    const starts: number[] = [];
    let comma = -1;
    for (const run of runs) {
      let at = run.from;
      for (let i = 0; i < run.lines; i++) {
        const end = text.indexOf("\n", at);
        const stop = end < 0 ? text.length : end;
        if (comma < at) {
          comma = text.indexOf(",", at);
          if (comma < 0) comma = text.length;
        }
        const place = starts.length;
        starts.push(at);
        const address = comma < stop ? undefined : destinationOf(text, at, nameLength);
        if (address === undefined) rest.push(place);
        else {
          const same = this.exact.get(address);
          if (same === undefined) this.exact.set(address, [place]);
          else same.push(place);
        }
        at = stop + 1;
      }
    }
    this.rest = rest;
    this.starts = starts;
  }

  /** Which of the lines begins there. */
  placeOf(begin: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! < begin) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  at(destination: Ipv4): readonly number[] {
    let places = this.known.get(destination);
    if (places === undefined) {
      const own = this.exact.get(destination);
      places = own === undefined ? this.rest : [...own, ...this.rest].sort((a, b) => a - b);
      this.known.set(destination, places);
    }
    return places;
  }
}

/** The same lines in another order. */
export class ReorderedIndex implements LineIndex {
  readonly starts: ArrayLike<number>;
  readonly rest: readonly number[];
  private readonly index: PlaceIndex;
  private readonly order: ChainOrder;

  constructor(index: PlaceIndex, order: ChainOrder) {
    this.index = index;
    this.order = order;
    this.starts = order.places.map((place) => index.starts[place]!);
    this.rest = this.moved(index.rest);
  }

  at(destination: Ipv4): readonly number[] {
    const places = this.index.at(destination);
    return places === this.index.rest ? this.rest : this.moved(places);
  }

  private moved(places: readonly number[]): readonly number[] {
    return places.map((place) => this.order.back[place]!).sort((a, b) => a - b);
  }
}

/** The one address that a line is for, if that stands in front. */
export function destinationOf(text: string, at: number, nameLength: number): Ipv4 | undefined {
  const name = text.charCodeAt(at) === 45 ? at + 3 : text.indexOf("] -A ", at) + 5;
  const option = name + nameLength;
  if (!text.startsWith(DESTINATION, option)) return undefined;
  const start = option + DESTINATION.length;
  const slash = text.indexOf("/", start);
  if (slash < 0 || slash > start + 15 || !text.startsWith(ONE_HOST, slash)) return undefined;
  return parseIpv4(text, start, slash);
}
