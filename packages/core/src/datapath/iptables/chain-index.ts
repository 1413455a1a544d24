import type { Chain, Rule } from "../../model/index.ts";
import { type Address, isHostMask } from "../../net/index.ts";
import { memo } from "../kernel/memo.ts";

/** Chains shorter than this are walked rule by rule. */
const WORTH_IT = 16;

/**
 * The rules of a long chain by the one address they are for: KUBE-SERVICES has thousands, of which a packet meets a handful.
 * What it passes over are rules whose destination is another, which ask nothing and change nothing.
 */
class ChainIndex {
  readonly #exact = new Map<Address, number[]>();
  /** Positions of rules that are for more than one address. */
  readonly #rest: number[] = [];
  readonly #length: number;

  constructor(rules: readonly Rule[]) {
    this.#length = rules.length;
    for (const [at, rule] of rules.entries()) {
      const address = onlyDestination(rule);
      if (address === undefined) {
        this.#rest.push(at);
        continue;
      }
      const same = this.#exact.get(address);
      if (same === undefined) this.#exact.set(address, [at]);
      else same.push(at);
    }
  }

  next(destination: Address, from: number): number {
    const exact = this.#exact.get(destination);
    const own = exact === undefined ? this.#length : firstFrom(exact, from, this.#length);
    return Math.min(own, firstFrom(this.#rest, from, this.#length));
  }
}

const onlyDestination = ({ destination }: Rule): Address | undefined =>
  destination !== undefined && !destination.negated && isHostMask(destination.value.mask)
    ? destination.value.address
    : undefined;

/** The first of ascending positions that is not before `from`. */
function firstFrom(positions: readonly number[], from: number, none: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return positions[low] ?? none;
}

const indexes = new WeakMap<Chain, ChainIndex>();

/** Where in a chain the next rule stands that a packet for this destination can match; the chain's length: there is none. */
export function nextRule(chain: Chain, from: number, destination: Address): number {
  const { unread } = chain;
  if (unread !== undefined) {
    if (unread.lines < WORTH_IT) return from;
    const places = unread.placesFor(destination);
    if (places !== undefined) return firstFrom(places, from, unread.lines);
  }
  if (chain.rules.length < WORTH_IT) return from;
  return memo(indexes, chain, () => new ChainIndex(chain.rules)).next(destination, from);
}
