import type { IptablesTableName, LinesByOwner, NetworksOfText } from "../../../model/index.ts";
import type { Ipv4 } from "../../../net/index.ts";
import type { SaveHeader } from "../save/header.ts";
import type { Lines } from "./lines.ts";
import type { Lineage, ScannedTable } from "./scanned-table.ts";

/** One rule's line: the place it has among those of its chain. */
export interface FoundLine {
  readonly lines: Lines;
  readonly place: number;
}

/** The chains of one table as text: of its own, or shared with other tables where they say the same. */
export interface TableChains {
  readonly name: IptablesTableName;
  readonly header: SaveHeader;
  /** Of the file, from 1. */
  readonly line: number;
  readonly size: number;
  linesAt(place: number): Lines;
  nameAt(place: number): string;
  named(name: string): Lines | undefined;
  /** Negative: there is no such chain. */
  placeOf(name: string): number;
  starting(start: string): readonly Lines[];
  /** The lines that hold this text, in their order; of some chains, where `chains` names them. */
  saying(text: string, chains: readonly string[] | undefined): readonly FoundLine[];
  /** The same of an address. */
  naming(address: Ipv4, chains: readonly string[] | undefined): readonly FoundLine[];
  /** The names of chains of which some line has it; `own`: but for those of whose text most of it is. */
  chainsNaming(address: Ipv4, own: boolean): readonly string[];
  /** Whether some line may have it. */
  mayName(address: Ipv4): boolean;
  networks(): NetworksOfText;
  linesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined;
  /** The same of the text that is its home. */
  homeLinesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined;
  /** Whose text most of it is. */
  readonly home: ScannedTable;
  /** The names of chains in which it differs from that. */
  apart(): readonly string[];
  /** Whether one of its chains is that. */
  holds(lineage: Lineage): boolean;
  /** Whether every line is the same, in the same place. */
  isSame(other: TableChains): boolean;
}
