import type { Extent, NftChain, NftRule, NftSet, NftTable, Origin } from "../../../model/index.ts";
import { read as readAt } from "../../../model/index.ts";
import { lazily } from "../../lazily.ts";
import { splitLines } from "../../source.ts";
import { readRuleset } from "../ruleset.ts";
import type { Block, Others, ScannedNftTable, ScannedRuleset } from "./scan.ts";

/** A piece of a table as a text of its own, each line with the number it has in the file. */
class Piece {
  readonly #text: string;
  readonly #file: string;
  readonly #head: string;

  constructor(text: string, file: string, { family, name }: ScannedNftTable) {
    this.#text = text;
    this.#file = file;
    this.#head = `table ${family} ${name} {`;
  }

  origin(line: number): Origin {
    return readAt(this.#file, line);
  }

  /** The table with nothing in it but this; `close` stands for what is left out at its end. */
  table(from: number, to: number, line: number, close?: string): NftTable {
    const lines = [this.#head, ...this.#lines(from, to), ...(close === undefined ? [] : [close]), "}"];
    return readRuleset({ file: this.#file, lines, firstLine: line - 1 }).tables[0]!;
  }

  /** The same with several. */
  tableOf(parts: readonly Others[], line: number): NftTable {
    const lines = [this.#head];
    const numbers = [line];
    for (const part of parts)
      for (const [i, one] of this.#lines(part.from, part.to).entries()) {
        lines.push(one);
        numbers.push(part.line + i);
      }
    return readRuleset({ file: this.#file, lines: [...lines, "}"], numbers, firstLine: line }).tables[0]!;
  }

  #lines(from: number, to: number): readonly string[] {
    return splitLines(this.#text.slice(from, to));
  }
}

/** A chain whose rules are read when they are asked for; a copy of it asks. */
class LazyNftChain implements NftChain {
  readonly name: string;
  declare readonly rules: readonly NftRule[];
  readonly origin: Origin;
  #piece: Piece;
  #block: Block;
  #read: readonly NftRule[] | undefined = undefined;

  // One descriptor for all: with one each, 40,000 chains would be as many hash tables.
  static readonly #rules: PropertyDescriptor = {
    enumerable: true,
    get(this: LazyNftChain): readonly NftRule[] {
      this.#read ??= this.#chain().rules;
      return this.#read;
    },
  };

  constructor(piece: Piece, block: Block) {
    this.name = block.name;
    this.origin = piece.origin(block.line);
    this.#piece = piece;
    this.#block = block;
    Object.defineProperty(this, "rules", LazyNftChain.#rules);
  }

  #chain(): NftChain {
    const { from, to, line } = this.#block;
    return this.#piece.table(from, to, line).chains[0]!;
  }

  /** Takes over the rules of the same chain, where they were not read yet. */
  adopt({ rules }: NftChain): void {
    this.#read ??= rules;
  }
}

const chainOf = (piece: Piece, block: Block): NftChain =>
  block.odd ? piece.table(block.from, block.to, block.line).chains[0]! : new LazyNftChain(piece, block);

/** A set whose elements are read when they, or whether all were understood, are asked for. */
function setOf(piece: Piece, { from, to, line, elements, odd }: Block): NftSet {
  const whole = () => piece.table(from, to, line).sets[0]!;
  if (elements === undefined || odd) return whole();
  return lazily(piece.table(from, elements, line, "\t}").sets[0]!, ["elements", "elementsKnown"], whole);
}

/** The tables of a ruleset that was found to be plain: rules and elements are read chain by chain and set by set, when they are asked for. */
export function lazyTables(
  text: string,
  { tables }: ScannedRuleset,
  file: string,
  extent: Extent,
): readonly NftTable[] {
  return tables.map((scanned) => {
    const piece = new Piece(text, file, scanned);
    return {
      ...piece.tableOf(scanned.others, scanned.line),
      chains: scanned.chains.map((block) => chainOf(piece, block)),
      sets: scanned.sets.map((block) => setOf(piece, block)),
      extent,
    };
  });
}

/** Takes over what the reader of the whole found, where nobody has asked yet. */
export function adopt(lazy: readonly NftTable[], whole: readonly NftTable[]): void {
  for (const [i, { chains }] of lazy.entries())
    for (const [j, chain] of chains.entries()) if (chain instanceof LazyNftChain) chain.adopt(whole[i]!.chains[j]!);
}
