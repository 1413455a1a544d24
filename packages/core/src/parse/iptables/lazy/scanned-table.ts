import type { Counters, IptablesTableName } from "../../../model/index.ts";
import type { SaveHeader } from "../save/header.ts";
import { ChainNames } from "./chain-names.ts";
import { type Head, Lines, type Run } from "./lines.ts";
import { PlaceIndex } from "./place-index.ts";

/** One rule's line: of which chain, and the place it has among those of it. */
export interface LineOfChain {
  readonly chain: number;
  readonly place: number;
}

/** A chain's text, of whichever tables. */
export interface Lineage {
  readonly home: ScannedTable;
  readonly at: number;
}

/** From one place of the text to before another. */
export interface Range {
  readonly from: number;
  readonly end: number;
}

const ZERO: Counters = { packets: 0, bytes: 0 };
/** Of a chain that was made, and not built in. */
export const PLAIN: Head = { policy: undefined, counters: ZERO };
const NO_RUNS: readonly Run[] = [];

/**
 * A table's text and where in it the lines of each chain are. Of a chain there are numbers in lists until somebody asks for it: a record for
 * each of tens of thousands would cost more than all else that is done at first.
 */
export class ScannedTable {
  readonly text: string;
  readonly name: IptablesTableName;
  readonly header: SaveHeader;
  /** Of the file, from 1: the chains are declared on those behind it, one each. */
  readonly line: number;
  readonly names: ChainNames;
  /** Of the chains whose line says more than their name. */
  readonly heads = new Map<number, Head>();
  /** Runs of lines of one chain, in their order: where each begins, on which line, and whose it is. */
  readonly #starts: number[] = [];
  readonly #numbers: number[] = [];
  readonly #owners: number[] = [];
  /** The first run of each chain and one; 0: it has no rules. */
  #firsts: Int32Array | undefined = undefined;
  /** The runs behind the first of the few that have several. */
  readonly #further = new Map<number, number[]>();
  readonly #made = new Map<number, Lines>();
  readonly #lineages = new Map<number, Lineage>();
  readonly #indices = new Map<number, PlaceIndex>();
  /** Where the line behind its last rule begins, and its number. */
  end = 0;
  endLine = 0;

  constructor(text: string, name: IptablesTableName, header: SaveHeader, line: number) {
    this.text = text;
    this.name = name;
    this.header = header;
    this.line = line;
    this.names = new ChainNames(text);
  }

  /** A run begins: of lines that stand one behind the other without anything between them. */
  begin(chain: number, from: number, line: number): void {
    this.#starts.push(from);
    this.#numbers.push(line);
    this.#owners.push(chain);
  }

  /** Where its first rule begins. */
  get start(): number {
    return this.#starts[0] ?? this.end;
  }

  /** The chain that is declared at this place among all. */
  linesOf(chain: number): Lines {
    let lines = this.#made.get(chain);
    if (lines === undefined) {
      lines = new Lines(chain, this, this.headOf(chain), this.line + 1 + chain, this.runsOf(chain));
      this.#made.set(chain, lines);
    }
    return lines;
  }

  /** One object for each chain: whoever shares this text has the same. */
  lineageOf(chain: number): Lineage {
    let lineage = this.#lineages.get(chain);
    if (lineage === undefined) {
      lineage = { home: this, at: chain };
      this.#lineages.set(chain, lineage);
    }
    return lineage;
  }

  headOf(chain: number): Head {
    return this.heads.get(chain) ?? PLAIN;
  }

  /** The lines of a long chain by the one address they are for. */
  indexOf(chain: number): PlaceIndex {
    let index = this.#indices.get(chain);
    if (index === undefined) {
      index = new PlaceIndex(this.text, this.names.at(chain).length, this.runsOf(chain));
      this.#indices.set(chain, index);
    }
    return index;
  }

  has(name: string): boolean {
    return this.names.indexOf(name) >= 0;
  }

  /** Where its rules are. */
  runsOf(chain: number): readonly Run[] {
    this.#firsts ??= this.#listed();
    const first = this.#firsts[chain]! - 1;
    if (first < 0) return NO_RUNS;
    const further = this.#further.get(chain);
    return further === undefined ? [this.#run(first)] : [first, ...further].map((run) => this.#run(run));
  }

  #listed(): Int32Array {
    const firsts = new Int32Array(this.names.size);
    for (let run = 0; run < this.#owners.length; run++) {
      const owner = this.#owners[run]!;
      if (firsts[owner] === 0) firsts[owner] = run + 1;
      else {
        const known = this.#further.get(owner);
        if (known === undefined) this.#further.set(owner, [run]);
        else known.push(run);
      }
    }
    return firsts;
  }

  #run(run: number): Run {
    const line = this.#numbers[run]!;
    return { from: this.#starts[run]!, line, lines: (this.#numbers[run + 1] ?? this.endLine) - line };
  }

  /** Where the lines of rules begin that hold this text. */
  linesSaying(wanted: string, chains: readonly string[] | undefined): readonly number[] {
    const begins: number[] = [];
    for (const { from, end } of this.ranges(chains)) {
      const text = this.text.slice(from, end);
      for (let at = text.indexOf(wanted); at >= 0; ) {
        begins.push(from + text.lastIndexOf("\n", at) + 1);
        const next = text.indexOf("\n", at);
        at = next < 0 ? -1 : text.indexOf(wanted, next);
      }
    }
    return begins;
  }

  /** Where the rules of some chains stand, or of all, ascending. */
  ranges(chains: readonly string[] | undefined): readonly Range[] {
    if (chains === undefined) return [{ from: this.start, end: this.end }];
    const found: Range[] = [];
    for (const name of new Set(chains)) {
      const chain = this.names.indexOf(name);
      for (const { from } of chain < 0 ? NO_RUNS : this.runsOf(chain))
        found.push({ from, end: this.#starts[this.#runAt(from) + 1] ?? this.end });
    }
    return found.sort((a, b) => a.from - b.from);
  }

  /** Whose rules the lines are that begin at these places, ascending, and which of them. */
  located(begins: readonly number[]): readonly LineOfChain[] {
    let last = -1;
    let at = 0;
    let place = 0;
    return begins.map((begin) => {
      const run = this.#runAt(begin);
      const chain = this.#owners[run]!;
      const known = this.#indices.get(chain);
      if (known !== undefined) return { chain, place: known.placeOf(begin) };
      if (run !== last) {
        last = run;
        at = this.#starts[run]!;
        place = 0;
        for (const earlier of this.runsOf(chain)) {
          if (earlier.from === at) break;
          place += earlier.lines;
        }
      }
      for (; at < begin; place++) at = this.text.indexOf("\n", at) + 1;
      return { chain, place };
    });
  }

  /** Where the rules of a chain that has one run of them begin and end. */
  rangeOf(chain: number): Range | undefined {
    const runs = this.runsOf(chain);
    if (runs.length !== 1) return undefined;
    const { from } = runs[0]!;
    return { from, end: this.#starts[this.#runAt(from) + 1] ?? this.end };
  }

  /** Whose rule the line is that begins there. */
  ownerAt(begin: number): number {
    return this.#owners[this.#runAt(begin)]!;
  }

  #runAt(begin: number): number {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= begin) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
