import { isHashedChain, type LinesByOwner, type OwnLines, type Renaming, withoutHash } from "../../../model/index.ts";
import { type Ipv4, parseIpv4 } from "../../../net/index.ts";
import type { AddressesOfText } from "./addresses-of-text.ts";
import { LineShapes } from "./line-shapes.ts";
import { bodyOf, type Numbering, nameAt } from "./own-words.ts";
import { isPlain } from "./plain-words.ts";
import type { ScannedTable } from "./scanned-table.ts";

/** One question's lines beyond this are not compared: it is walked by itself. */
const MOST = 200;
const DESTINATION = /-d ([\d.]{7,15})\/32 /y;
const JUMP = / -[jg] (\S+)/;

/**
 * The lines of a table by whom they are about. A chain named after a hash is the own chain of a Service or an endpoint. In all others a line
 * for one destination (`-d 10.96.0.10/32`) is that destination's, and no packet for another meets it; the rest is everybody's, and a line of
 * one's own stands behind so many of these.
 */
export class LinesByOwnerOfText implements LinesByOwner {
  readonly scanned: ScannedTable;
  readonly addresses: AddressesOfText;
  readonly shapes = new LineShapes();
  /** Of each chain that is everybody's: where the lines begin that everybody meets. */
  private readonly common = new Map<number, readonly number[]>();
  /** Of these, those that lead to a chain of somebody's own. */
  readonly leadingTo = new Map<string, number[]>();

  private constructor(scanned: ScannedTable, addresses: AddressesOfText) {
    this.scanned = scanned;
    this.addresses = addresses;
  }

  static of(
    scanned: ScannedTable,
    addresses: AddressesOfText,
    isCommon: (address: Ipv4) => boolean,
  ): LinesByOwnerOfText | undefined {
    const made = new LinesByOwnerOfText(scanned, addresses);
    for (let i = 0; i < scanned.names.size; i++)
      if (!isHashedChain(scanned.names.at(i)) && !made.look(i, isCommon)) return undefined;
    return made;
  }

  private look(chain: number, isCommon: (address: Ipv4) => boolean): boolean {
    const { text, names } = this.scanned;
    const name = names.at(chain);
    const common: number[] = [];
    for (const run of this.scanned.runsOf(chain)) {
      let at = run.from;
      for (let i = 0; i < run.lines; i++) {
        const end = text.indexOf("\n", at);
        DESTINATION.lastIndex = bodyOf(text, at, name);
        const found = DESTINATION.exec(text);
        const own = found === null ? undefined : parseIpv4(found[1]!);
        if (own === undefined || isCommon(own)) {
          common.push(at);
          const line = text.slice(at, end);
          if (!isPlain(line, (name) => this.scanned.has(name))) return false;
          const chain = JUMP.exec(line)?.[1];
          if (chain !== undefined && isHashedChain(chain)) {
            const known = this.leadingTo.get(chain);
            if (known === undefined) this.leadingTo.set(chain, [at]);
            else known.push(at);
          }
        }
        at = end + 1;
      }
    }
    this.common.set(chain, common);
    return true;
  }

  /** How many lines of its chain that everybody meets stand before one. */
  rank(chain: number, begin: number): number {
    const common = this.common.get(chain) ?? [];
    let [low, high] = [0, common.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (common[middle]! < begin) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  linesFor(renaming: Renaming): OwnLines {
    return new Gathering(this, renaming);
  }
}

class Gathering implements OwnLines {
  readonly #lines: LinesByOwnerOfText;
  readonly #numbering: Numbering;
  readonly #chains: string[] = [];
  /** Chains that are told already. */
  #told = 0;
  /** What is said, by its numbers; what stands in front of a chain's hash, where its lines begin. */
  #own = "";
  readonly #shapes: number[] = [];
  readonly #among: Among[] = [];
  #left = MOST;

  constructor(lines: LinesByOwnerOfText, renaming: Renaming) {
    this.#lines = lines;
    const chains = this.#chains;
    this.#numbering = {
      renaming,
      chain: (name) => {
        const known = chains.indexOf(name);
        return known < 0 ? chains.push(name) - 1 : known;
      },
    };
  }

  get chains(): readonly string[] {
    return this.#chains;
  }

  add(address: Ipv4): boolean {
    const { scanned, addresses } = this.#lines;
    const { text } = scanned;
    for (const begin of addresses.linesOf(address)) {
      const at = nameAt(text, begin);
      // Nearly every line is of a chain that is known by now.
      if (this.#isKnown(at)) continue;
      const name = text.slice(at, text.indexOf(" ", at));
      if (isHashedChain(name)) this.#numbering.chain(name);
      else this.#meet(scanned.ownerAt(begin), begin);
      if (this.#left < 0) return false;
    }
    return this.#follow();
  }

  #isKnown(at: number): boolean {
    const { text } = this.#lines.scanned;
    for (const name of this.#chains) if (text.startsWith(name, at)) return true;
    return false;
  }

  /** A line about it in a chain that is everybody's. */
  #meet(owner: number, begin: number): void {
    for (const line of this.#among) if (line.begin === begin) return;
    const { scanned } = this.#lines;
    const shape = this.#say(scanned.names.at(owner), begin, scanned.text.indexOf("\n", begin), FIRST);
    this.#among.push({ begin, owner, rank: this.#lines.rank(owner, begin), shape });
  }

  /** The chains that were named since, whole, and who leads to them. */
  #follow(): boolean {
    const { scanned, leadingTo } = this.#lines;
    const { text } = scanned;
    for (; this.#told < this.#chains.length; this.#told++) {
      const name = this.#chains[this.#told]!;
      this.#own += `:${withoutHash(name)}`;
      const chain = scanned.names.indexOf(name);
      if (chain < 0) continue;
      for (const { from, lines } of scanned.runsOf(chain)) {
        let at = from;
        for (let i = 0; i < lines; i++) {
          const end = text.indexOf("\n", at);
          const shape = this.#say(name, at, end, this.#shapes.length === 0 ? FIRST : this.#shapes.at(-1)!);
          this.#shapes.push(shape);
          this.#own += ` ${shape}`;
          if (this.#left < 0) return false;
          at = end + 1;
        }
      }
      if (leadingTo.size > 0) for (const begin of leadingTo.get(name) ?? []) this.#meet(scanned.ownerAt(begin), begin);
    }
    return true;
  }

  #say(name: string, begin: number, end: number, before: number): number {
    this.#left--;
    const { scanned, shapes } = this.#lines;
    return shapes.of(scanned.text, bodyOf(scanned.text, begin, name), end, this.#numbering, before);
  }

  text(): string {
    let text = this.#own;
    if (this.#among.length > 1) this.#among.sort((a, b) => a.begin - b.begin);
    for (const { owner, rank, shape } of this.#among) text += `\n${owner} ${rank} ${shape}`;
    return text;
  }

  isPlain(): boolean {
    const { scanned, shapes } = this.#lines;
    const isChain = (name: string): boolean => name.startsWith("<") || scanned.has(name);
    return [...this.#shapes, ...this.#among.map((l) => l.shape)].every((shape) => isPlain(shapes.said(shape), isChain));
  }
}

/** A line of one's own in a chain that is everybody's: behind how many that everybody meets, and what it says. */
interface Among {
  readonly begin: number;
  readonly owner: number;
  readonly rank: number;
  readonly shape: number;
}

/** Before the first line there is none. */
const FIRST = -1;
