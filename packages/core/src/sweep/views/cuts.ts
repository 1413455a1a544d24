import { type Address, isIpv4, type Prefix, uint32Of } from "../../net/index.ts";

/** Where some prefixes tell addresses apart: those of one span are in the same of them. */
export class Cuts {
  readonly #cuts: Float64Array;

  constructor(prefixes: readonly Prefix[]) {
    const cuts = new Set<number>();
    for (const { address, length } of prefixes) {
      if (!isIpv4(address)) continue;
      const size = 2 ** (32 - length);
      const first = Math.floor(uint32Of(address) / size) * size;
      cuts.add(first).add(first + size);
    }
    this.#cuts = Float64Array.from(cuts).sort();
  }

  /** The number of its span; of IPv6 each address is one. */
  of(address: Address): number | Address {
    if (!isIpv4(address)) return address;
    const cuts = this.#cuts;
    const wanted = uint32Of(address);
    let [low, high] = [0, cuts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cuts[middle]! <= wanted) low = middle + 1;
      else high = middle;
    }
    // Below nothing: no address is a number so small.
    return -1 - low;
  }
}
