import type { IptablesTableName, LinesByOwner, NetworksOfText } from "../../../model/index.ts";
import type { Ipv4 } from "../../../net/index.ts";
import type { SaveHeader } from "../save/header.ts";
import { AddressesOfText } from "./addresses-of-text.ts";
import type { Lines } from "./lines.ts";
import { LinesByOwnerOfText } from "./lines-by-owner.ts";
import type { Lineage, LineOfChain, ScannedTable } from "./scanned-table.ts";
import type { FoundLine, TableChains } from "./table-chains.ts";

/** A table that has a text of its own. */
export class ScannedChains implements TableChains {
  readonly scanned: ScannedTable;
  readonly addresses: AddressesOfText;

  constructor(scanned: ScannedTable) {
    this.scanned = scanned;
    this.addresses = new AddressesOfText(scanned);
  }

  get name(): IptablesTableName {
    return this.scanned.name;
  }

  get header(): SaveHeader {
    return this.scanned.header;
  }

  get line(): number {
    return this.scanned.line;
  }

  get size(): number {
    return this.scanned.names.size;
  }

  linesAt(place: number): Lines {
    return this.scanned.linesOf(place);
  }

  nameAt(place: number): string {
    return this.scanned.names.at(place);
  }

  placeOf(name: string): number {
    return this.scanned.names.indexOf(name);
  }

  named(name: string): Lines | undefined {
    const place = this.scanned.names.indexOf(name);
    return place < 0 ? undefined : this.scanned.linesOf(place);
  }

  starting(start: string): readonly Lines[] {
    return startingIn(this.scanned, start).map((place) => this.scanned.linesOf(place));
  }

  saying(text: string, chains: readonly string[] | undefined): readonly FoundLine[] {
    return this.#found(this.scanned.located(this.scanned.linesSaying(text, chains)));
  }

  naming(address: Ipv4, chains: readonly string[] | undefined): readonly FoundLine[] {
    return this.#found(this.scanned.located(this.addresses.linesOf(address, chains)));
  }

  #found(places: readonly LineOfChain[]): readonly FoundLine[] {
    return places.map(({ chain, place }) => ({ lines: this.scanned.linesOf(chain), place }));
  }

  chainsNaming(address: Ipv4): readonly string[] {
    const { scanned, addresses } = this;
    const chains = new Set(addresses.linesOf(address).map((begin) => scanned.ownerAt(begin)));
    return [...chains].map((chain) => scanned.names.at(chain));
  }

  mayName(address: Ipv4): boolean {
    return this.addresses.has(address);
  }

  networks(): NetworksOfText {
    return this.addresses.networks();
  }

  linesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined {
    return LinesByOwnerOfText.of(this.scanned, this.addresses, isCommon);
  }

  homeLinesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined {
    return this.linesByOwner(isCommon);
  }

  get home(): ScannedTable {
    return this.scanned;
  }

  apart(): readonly string[] {
    return [];
  }

  holds({ home }: Lineage): boolean {
    return home === this.scanned;
  }

  isSame(other: TableChains): boolean {
    return other instanceof ScannedChains && other.scanned.text === this.scanned.text;
  }
}

/** The chains whose name begins so. */
export function startingIn({ names }: ScannedTable, start: string): number[] {
  const found: number[] = [];
  for (let i = 0; i < names.size; i++) if (names.startsWith(i, start)) found.push(i);
  return found;
}
