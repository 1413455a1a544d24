import type { ConntrackEntry, ConntrackTuple } from "../../model/index.ts";
import { type Address, addressKey } from "../../net/index.ts";
import { memo } from "../kernel/memo.ts";
import type { CtDirection, Tuple } from "./nf-conntrack.ts";
import { type Zone, zoneId } from "./nf-conntrack-zone.ts";

const DIRECTIONS: readonly CtDirection[] = ["original", "reply"];

/**
 * The entries of a dump, found by either of their tuples. Made once for a dump and shared by all walks: a node has hundreds of thousands
 * of them, and a walk meets a handful. Places of entries lie in a table of numbers, without a text for any of them.
 */
export class DumpedEntries {
  readonly items: readonly ConntrackEntry[];
  /** A place of an entry, doubled, and one more for its reply; 0 is nobody. */
  readonly #table: Int32Array;
  readonly #mask: number;
  /** Entries whose tuple an earlier one has: the kernel holds no two of them. */
  readonly clashing = new Set<number>();

  private constructor(items: readonly ConntrackEntry[]) {
    this.items = items;
    let size = 16;
    while (size < items.length * 4) size *= 2;
    this.#table = new Int32Array(size);
    this.#mask = size - 1;
    for (const [at, entry] of items.entries()) {
      const zone = zoneOf(entry);
      if (this.find(entry.original, zone) !== undefined || this.find(entry.reply, zone) !== undefined)
        this.clashing.add(at);
      else for (const [i, direction] of DIRECTIONS.entries()) this.#put(entry[direction], 2 * at + i + 1);
    }
  }

  static readonly #known = new WeakMap<readonly ConntrackEntry[], DumpedEntries>();
  static of(items: readonly ConntrackEntry[]): DumpedEntries {
    return memo(DumpedEntries.#known, items, () => new DumpedEntries(items));
  }

  #put(tuple: ConntrackTuple, place: number): void {
    let slot = hashOf(tuple) & this.#mask;
    while (this.#table[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#table[slot] = place;
  }

  /** Whose tuple this is, and which of its two; a port that is a set is nobody's in a dump. */
  find(tuple: Tuple, zone: Zone): { readonly at: number; readonly direction: CtDirection } | undefined {
    if (typeof tuple.sport !== "number" || typeof tuple.dport !== "number" || this.items.length === 0) return undefined;
    let reply: number | undefined;
    for (let slot = hashOf(tuple as ConntrackTuple) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const place = this.#table[slot]!;
      if (place === 0) return reply === undefined ? undefined : { at: reply, direction: "reply" };
      const at = (place - 1) >> 1;
      const direction = DIRECTIONS[(place - 1) & 1]!;
      const entry = this.items[at]!;
      if (!isSame(entry[direction], tuple) || zoneId(zoneOf(entry), direction) !== zoneId(zone, direction)) continue;
      if (direction === "original") return { at, direction };
      reply = at;
    }
  }
}

export const zoneOf = ({ zone, zoneDirection }: ConntrackEntry): Zone => ({
  id: zone,
  ...(zoneDirection !== undefined && { direction: zoneDirection }),
});

const isSame = (a: ConntrackTuple, b: Tuple): boolean =>
  a.src === b.src && a.dst === b.dst && a.sport === b.sport && a.dport === b.dport && a.protocol === b.protocol;

function mixed(hash: number, value: number): number {
  const h = Math.imul(hash ^ value, 0x9e3779b1);
  return h ^ (h >>> 15);
}

function ofAddress(hash: number, address: Address): number {
  const key = addressKey(address);
  if (typeof key === "number") return mixed(hash, key | 0);
  const text = String(key);
  let h = hash;
  for (let i = 0; i < text.length; i++) h = Math.imul(h, 31) + text.charCodeAt(i);
  return mixed(h, text.length);
}

const hashOf = (t: ConntrackTuple): number =>
  mixed(mixed(ofAddress(ofAddress(t.protocol, t.src), t.dst), t.sport), t.dport) >>> 0;
