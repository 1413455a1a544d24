import { type ChainOrder, GuardedLines } from "./chain-order.ts";
import { ScannedChains } from "./scanned-chains.ts";
import { type Range, ScannedTable } from "./scanned-table.ts";
import { type Laid, SharedChains } from "./shared-chains.ts";
import type { TableChains } from "./table-chains.ts";

/** Kinds of nodes whose tables are held apart. */
const MOST_BASES = 4;
/** A table of which less is its own is laid over another, whatever part of it that is. */
const SMALL = 1 << 20;

/**
 * What the tables of many nodes have in common, kept once: the first of each name as it is, of the next the chains that differ. `kept` is told how
 * much text stays in memory.
 */
export class SharedTexts {
  readonly #bases = new Map<string, Base[]>();
  readonly #kept: (characters: number) => void;
  #last: string | undefined;

  constructor(kept: (characters: number) => void = () => {}) {
    this.#kept = kept;
  }

  /** A text stays, all of it. */
  keeps(text: string): void {
    this.#kept(text.length);
  }

  of(table: ScannedTable): TableChains {
    const { tool, backend } = table.header;
    const key = `${table.name} ${tool} ${backend}`;
    let bases = this.#bases.get(key);
    if (bases === undefined) {
      bases = [];
      // The key is a part of the text: a copy holds none of it.
      this.#bases.set([...key].join(""), bases);
    }
    const ownPlaces = isOnePiece(table);
    for (const base of ownPlaces ? bases : []) {
      const laid = laidOver(base, table);
      if (laid.own > SMALL && laid.own * 2 > laid.all && bases.length < MOST_BASES) continue;
      const own = new ScannedChains(copyOf(table, laid.places, base.scanned));
      this.#kept(own.scanned.text.length);
      for (const { places } of laid.orders.values()) this.#kept(places.byteLength);
      return new SharedChains(base.chains, own, laid);
    }
    const chains = new ScannedChains(table);
    if (ownPlaces && bases.length < MOST_BASES) bases.push({ chains, scanned: table, guarded: new Map() });
    // Tables of one file share its text.
    if (this.#last !== table.text) this.#kept(table.text.length);
    this.#last = table.text;
    return chains;
  }
}

/** Whether the rules of each of its chains stand together. */
function isOnePiece(table: ScannedTable): boolean {
  for (let chain = 0; chain < table.names.size; chain++) if (table.runsOf(chain).length > 1) return false;
  return true;
}

/** A table that others are laid over, and what is known of the order of its lines. */
interface Base {
  readonly chains: ScannedChains;
  readonly scanned: ScannedTable;
  readonly guarded: Map<number, GuardedLines>;
}

interface LaidOver extends Laid {
  /** Chains that are its own. */
  readonly places: readonly number[];
  /** Characters of these, and of all. */
  readonly own: number;
  readonly all: number;
}

function laidOver(base: Base, table: ScannedTable): LaidOver {
  const { names, line } = table;
  const { names: known } = base.scanned;
  const order = new Int32Array(names.size);
  const firsts = new Int32Array(names.size);
  const orders = new Map<number, ChainOrder>();
  const places: number[] = [];
  let [own, all] = [0, 0];
  let next = 0;
  for (let chain = 0; chain < names.size; chain++) {
    const range = table.rangeOf(chain);
    firsts[chain] = table.runsOf(chain)[0]?.line ?? 0;
    const size = range === undefined ? 0 : range.end - range.from;
    all += size;
    const name = names.at(chain);
    // Both are in the order in which the tool prints them: it is nearly always the next one.
    const at = next < known.size && known.at(next) === name ? next : known.indexOf(name);
    if (at >= 0) next = at + 1;
    const same = at < 0 ? undefined : sameChain(base, at, table, chain, range);
    if (same !== undefined) {
      order[chain] = at;
      if (same !== "as it is") orders.set(at, same);
    } else {
      order[chain] = -1 - places.length;
      places.push(chain);
      own += size;
    }
  }
  return { header: base.scanned.header, line, order, orders, firsts, heads: table.heads, places, own, all };
}

/** Whether packets meet the same there, and in which order its lines stand; undefined: they do not. */
function sameChain(
  { scanned, guarded }: Base,
  at: number,
  table: ScannedTable,
  chain: number,
  range: Range | undefined,
): "as it is" | ChainOrder | undefined {
  // How many packets came by is each node's own, and kept apart.
  if (scanned.headOf(at).policy !== table.headOf(chain).policy) return undefined;
  const other = scanned.rangeOf(at);
  if (range === undefined || other === undefined) return range === other ? "as it is" : undefined;
  if (range.end - range.from !== other.end - other.from) return undefined;
  if (table.text.slice(range.from, range.end) === scanned.text.slice(other.from, other.end)) return "as it is";
  let lines = guarded.get(at);
  if (lines === undefined) {
    lines = new GuardedLines(scanned.text, other, scanned.names.at(at).length);
    guarded.set(at, lines);
  }
  return lines.orderOf(table.text, range);
}

/** Some chains of a table with a text of their own: nothing holds on to the whole. */
function copyOf(table: ScannedTable, places: readonly number[], { header }: ScannedTable): ScannedTable {
  const named = places.map((place) => table.names.at(place));
  const ranges = places.map((place) => table.rangeOf(place));
  const heads = `${named.join(" ")} \n`;
  const text = [heads, ...ranges.map((r) => (r === undefined ? "" : table.text.slice(r.from, r.end)))].join("");
  const copy = new ScannedTable(text, table.name, header, 0);
  let at = 0;
  for (const name of named) {
    copy.names.push(at, at + name.length);
    at += name.length + 1;
  }
  at = heads.length;
  let line = 1;
  for (const [i, range] of ranges.entries()) {
    if (range === undefined) continue;
    copy.begin(i, at, line);
    at += range.end - range.from;
    line += table.runsOf(places[i]!)[0]!.lines;
  }
  copy.end = at;
  copy.endLine = line;
  return copy;
}
