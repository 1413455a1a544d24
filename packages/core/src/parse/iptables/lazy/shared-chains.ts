import type { IptablesTableName, LinesByOwner, NetworksOfText } from "../../../model/index.ts";
import type { Ipv4 } from "../../../net/index.ts";
import type { SaveHeader } from "../save/header.ts";
import type { ChainOrder } from "./chain-order.ts";
import { type Head, Lines } from "./lines.ts";
import { type ScannedChains, startingIn } from "./scanned-chains.ts";
import { type Lineage, type LineOfChain, PLAIN, type ScannedTable } from "./scanned-table.ts";
import type { FoundLine, TableChains } from "./table-chains.ts";

/** Which chains of a table are those of another, and where they stand in its own file. */
export interface Laid {
  readonly header: SaveHeader;
  readonly line: number;
  /** By the place among its chains: the place there; of one that is its own, -1 less the place among these. */
  readonly order: Int32Array;
  /** Of the chains of which the lines stand in another order there, by their places there. */
  readonly orders: ReadonlyMap<number, ChainOrder>;
  /** On which line the rules of each begin. */
  readonly firsts: Int32Array;
  /** What the lines that declare them say beside their names, by their places. */
  readonly heads: ReadonlyMap<number, Head>;
}

/**
 * A table most of whose chains another has, line for line: these are kept once, beside the few that are its own. Nodes of one cluster have tens of
 * thousands of chains in common.
 */
export class SharedChains implements TableChains {
  readonly header: SaveHeader;
  readonly line: number;
  readonly #base: ScannedChains;
  readonly #own: ScannedChains;
  readonly #order: Int32Array;
  readonly #orders: ReadonlyMap<number, ChainOrder>;
  readonly #firsts: Int32Array;
  readonly #heads: ReadonlyMap<number, Head>;
  /** The place of a chain of the other, and one; 0: this table has no such chain, or another of that name. */
  readonly #places: Int32Array;
  readonly #placesOfOwn: Int32Array;
  readonly #made = new Map<number, Lines>();

  constructor(base: ScannedChains, own: ScannedChains, { header, line, order, orders, firsts, heads }: Laid) {
    this.header = header;
    this.line = line;
    this.#base = base;
    this.#own = own;
    this.#order = order;
    this.#orders = orders;
    this.#firsts = firsts;
    this.#heads = heads;
    this.#places = new Int32Array(base.size);
    this.#placesOfOwn = new Int32Array(own.size);
    for (const [place, at] of order.entries())
      if (at >= 0) this.#places[at] = place + 1;
      else this.#placesOfOwn[-1 - at] = place;
  }

  get name(): IptablesTableName {
    return this.#base.name;
  }

  get size(): number {
    return this.#order.length;
  }

  linesAt(place: number): Lines {
    let lines = this.#made.get(place);
    if (lines === undefined) {
      const at = this.#order[place]!;
      const home = (at >= 0 ? this.#base : this.#own).scanned;
      const chain = at >= 0 ? at : -1 - at;
      const runs = home.runsOf(chain).map((run) => ({ ...run, line: this.#firsts[place]! }));
      const order = at >= 0 ? this.#orders.get(at) : undefined;
      lines = new Lines(chain, home, this.#heads.get(place) ?? PLAIN, this.line + 1 + place, runs, order);
      this.#made.set(place, lines);
    }
    return lines;
  }

  named(name: string): Lines | undefined {
    const place = this.placeOf(name);
    return place < 0 ? undefined : this.linesAt(place);
  }

  nameAt(place: number): string {
    const at = this.#order[place]!;
    return at >= 0 ? this.#base.nameAt(at) : this.#own.nameAt(-1 - at);
  }

  placeOf(name: string): number {
    const own = this.#own.scanned.names.indexOf(name);
    if (own >= 0) return this.#placesOfOwn[own]!;
    const base = this.#base.scanned.names.indexOf(name);
    return base < 0 ? -1 : this.#places[base]! - 1;
  }

  starting(start: string): readonly Lines[] {
    const shared = startingIn(this.#base.scanned, start).flatMap((chain) =>
      this.#places[chain] === 0 ? [] : [this.#places[chain]! - 1],
    );
    const own = startingIn(this.#own.scanned, start).map((chain) => this.#placesOfOwn[chain]!);
    return [...shared, ...own].sort((a, b) => a - b).map((place) => this.linesAt(place));
  }

  saying(text: string, chains: readonly string[] | undefined): readonly FoundLine[] {
    const [base, own] = [this.#base.scanned, this.#own.scanned];
    return this.#found(base.located(base.linesSaying(text, chains)), own.located(own.linesSaying(text, chains)));
  }

  naming(address: Ipv4, chains: readonly string[] | undefined): readonly FoundLine[] {
    const [base, own] = [this.#base, this.#own];
    return this.#found(
      base.scanned.located(base.addresses.linesOf(address, chains)),
      own.scanned.located(own.addresses.linesOf(address, chains)),
    );
  }

  /** In the order of its own lines. */
  #found(inBase: readonly LineOfChain[], inOwn: readonly LineOfChain[]): readonly FoundLine[] {
    const found: { readonly chain: number; readonly place: number }[] = [];
    let isOrdered = inOwn.length === 0;
    for (const { chain, place } of inBase) {
      if (this.#places[chain] === 0) continue;
      const order = this.#orders.get(chain);
      if (order !== undefined) isOrdered = false;
      found.push({ chain: this.#places[chain]! - 1, place: order?.back[place] ?? place });
    }
    for (const { chain, place } of inOwn) found.push({ chain: this.#placesOfOwn[chain]!, place });
    if (!isOrdered) found.sort((a, b) => this.#firsts[a.chain]! - this.#firsts[b.chain]! || a.place - b.place);
    return found.map(({ chain, place }) => ({ lines: this.linesAt(chain), place }));
  }

  chainsNaming(address: Ipv4, own: boolean): readonly string[] {
    return own
      ? this.#own.chainsNaming(address)
      : [...this.#base.chainsNaming(address), ...this.#own.chainsNaming(address)];
  }

  mayName(address: Ipv4): boolean {
    return this.#base.mayName(address) || this.#own.mayName(address);
  }

  /** Of the other, those of chains that are not here, too: more is told apart than need be. */
  networks(): NetworksOfText {
    const [shared, own] = [this.#base.networks(), this.#own.networks()];
    return {
      networks: [...shared.networks, ...own.networks],
      irregular: shared.irregular || own.irregular,
      get addresses() {
        return new Set([...shared.addresses, ...own.addresses]);
      },
    };
  }

  /** Lines that stand in two texts are not told apart so. */
  linesByOwner(): LinesByOwner | undefined {
    return undefined;
  }

  homeLinesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined {
    return this.#base.linesByOwner(isCommon);
  }

  get home(): ScannedTable {
    return this.#base.scanned;
  }

  apart(): readonly string[] {
    const { names } = this.#own.scanned;
    const found = new Set(Array.from({ length: names.size }, (_, i) => names.at(i)));
    for (const [at, place] of this.#places.entries()) if (place === 0) found.add(this.#base.scanned.names.at(at));
    return [...found];
  }

  holds({ home, at }: Lineage): boolean {
    return home === this.#base.scanned ? this.#places[at] !== 0 : home === this.#own.scanned;
  }

  isSame(other: TableChains): boolean {
    return (
      other instanceof SharedChains &&
      other.#base === this.#base &&
      other.line === this.line &&
      other.#own.scanned.text === this.#own.scanned.text &&
      isSameList(other.#order, this.#order) &&
      isSameHeads(other.#heads, this.#heads) &&
      isSameList(other.#firsts, this.#firsts) &&
      isSameOrders(other.#orders, this.#orders)
    );
  }
}

const isSameList = (a: Int32Array, b: Int32Array): boolean => a.length === b.length && a.every((n, i) => n === b[i]);

const isSameOrders = (a: ReadonlyMap<number, ChainOrder>, b: ReadonlyMap<number, ChainOrder>): boolean =>
  a.size === b.size && [...a].every(([chain, { places }]) => isSameList(places, b.get(chain)?.places ?? NOWHERE));

const NOWHERE = new Int32Array(0);

const isSameHeads = (a: ReadonlyMap<number, Head>, b: ReadonlyMap<number, Head>): boolean =>
  a.size === b.size &&
  [...a].every(([place, { policy, counters }]) => {
    const other = b.get(place);
    return (
      other?.policy === policy &&
      other?.counters.packets === counters.packets &&
      other?.counters.bytes === counters.bytes
    );
  });
