import type { NftElement } from "../../model/index.ts";
import { type Address, applyMask, compareAddress, familyOf, lastOf, maskFor } from "../../net/index.ts";

interface Interval {
  readonly from: Address;
  readonly to: Address;
  readonly element: NftElement;
}

/** Fewer are gone through. */
const MANY = 8;

function intervalOf(element: NftElement): Interval | undefined {
  const { key } = element;
  if (key.kind === "prefix" && key.value.kind === "address") {
    const { value: address } = key.value;
    const from = applyMask(address, maskFor(address, key.length));
    return { from, to: lastOf({ address, length: key.length }), element };
  }
  if (key.kind !== "range" || key.from.kind !== "address" || key.to.kind !== "address") return undefined;
  const [from, to] = [key.from.value, key.to.value];
  return familyOf(from) === familyOf(to) && compareAddress(from, to) <= 0 ? { from, to, element } : undefined;
}

/**
 * Networks and ranges of addresses of one family, none of which has an address in common with another, as a set's intervals are in the
 * kernel (nft_set_rbtree.c): the one that holds an address is found by halving.
 */
export class Intervals {
  readonly #sorted: readonly Interval[];

  private constructor(sorted: readonly Interval[]) {
    this.#sorted = sorted;
  }

  /** Undefined where an element is something else, where two overlap, and where they are few. */
  static of(elements: readonly NftElement[]): Intervals | undefined {
    if (elements.length < MANY) return undefined;
    const found: Interval[] = [];
    for (const element of elements) {
      const span = intervalOf(element);
      if (span === undefined || (found[0] !== undefined && familyOf(found[0].from) !== familyOf(span.from)))
        return undefined;
      found.push(span);
    }
    found.sort((a, b) => compareAddress(a.from, b.from));
    for (let i = 1; i < found.length; i++) if (compareAddress(found[i - 1]!.to, found[i]!.from) >= 0) return undefined;
    return new Intervals(found);
  }

  find(address: Address): NftElement | undefined {
    const sorted = this.#sorted;
    if (familyOf(address) !== familyOf(sorted[0]!.from)) return undefined;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareAddress(sorted[middle]!.from, address) <= 0) low = middle + 1;
      else high = middle;
    }
    const before = sorted[low - 1];
    return before !== undefined && compareAddress(address, before.to) <= 0 ? before.element : undefined;
  }
}
