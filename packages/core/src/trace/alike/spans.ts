import { type Ipv4, uint32Of } from "../../net/index.ts";

/** Of which registries know more than a number: no two addresses of different ones are treated alike by everybody. */
const SPECIAL: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["255.255.255.255", 32],
];

const octets = (text: string): number => text.split(".").reduce((n, octet) => n * 256 + Number(octet), 0);

/** All addresses, cut wherever something that a World says begins or ends: what lies in one span is told apart by nothing of it. */
export class Spans {
  readonly #cuts = new Set<number>();
  #sorted: Float64Array | undefined = undefined;

  constructor() {
    for (const [address, length] of SPECIAL) this.prefix(octets(address), length);
  }

  /** From the first to the last. */
  cut(first: number, last: number): void {
    this.#cuts.add(first).add(last + 1);
    this.#sorted = undefined;
  }

  prefix(address: number, length: number): void {
    const size = 2 ** (32 - length);
    const first = Math.floor(address / size) * size;
    this.network(first, first + size - 1);
  }

  /** The same; its own address and the one that all its hosts hear are none of theirs. */
  network(first: number, last: number): void {
    this.cut(first, last);
    this.cut(first, first);
    this.cut(last, last);
  }

  /** Every address and prefix that a text says. */
  text(text: string): void {
    for (const [, address = "", length] of text.matchAll(/(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2})(?!\d))?/g)) {
      this.cut(octets(address), octets(address));
      if (length !== undefined && Number(length) <= 32) this.prefix(octets(address), Number(length));
    }
  }

  /** The number of the span an address lies in. */
  of(address: Ipv4): number {
    this.#sorted ??= Float64Array.from(this.#cuts).sort();
    const cuts = this.#sorted;
    const wanted = uint32Of(address);
    let [low, high] = [0, cuts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cuts[middle]! <= wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first and the last address of the span. */
  bounds(address: Ipv4): readonly [number, number] {
    const span = this.of(address);
    const cuts = this.#sorted!;
    return [span === 0 ? 0 : cuts[span - 1]!, span === cuts.length ? 2 ** 32 - 1 : cuts[span]! - 1];
  }

  /** Whether something speaks of this very address. */
  isNamed(address: Ipv4): boolean {
    const span = this.of(address);
    const cuts = this.#sorted!;
    return span > 0 && span < cuts.length && cuts[span]! - cuts[span - 1]! === 1;
  }
}
