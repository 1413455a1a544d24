import { isHashedChain, type LinesByOwner, type OwnLines, type Renaming, withoutHash } from "../../../model/index.ts";
import { type Ipv4, parseIpv4 } from "../../../net/index.ts";
import type { AddressesOfText } from "./addresses-of-text.ts";
import type { Lines } from "./lines.ts";
import { bodyOf, nameAt, ownWords } from "./own-words.ts";
import { isPlain } from "./plain-words.ts";
import type { ScannedTable } from "./scan.ts";

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
  /** Of each chain that is everybody's: where the lines begin that everybody meets. */
  private readonly common = new Map<Lines, readonly number[]>();
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
    for (const lines of scanned.chains) if (!isHashedChain(lines.name) && !made.look(lines, isCommon)) return undefined;
    return made;
  }

  private look(lines: Lines, isCommon: (address: Ipv4) => boolean): boolean {
    const { text, byName } = this.scanned;
    const common: number[] = [];
    for (const run of lines.runs) {
      let at = run.from;
      for (let i = 0; i < run.lines; i++) {
        const end = text.indexOf("\n", at);
        DESTINATION.lastIndex = bodyOf(text, at, lines.name);
        const found = DESTINATION.exec(text);
        const own = found === null ? undefined : parseIpv4(found[1]!);
        if (own === undefined || isCommon(own)) {
          common.push(at);
          const line = text.slice(at, end);
          if (!isPlain(line, (name) => byName.has(name))) return false;
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
    this.common.set(lines, common);
    return true;
  }

  /** How many lines of its chain that everybody meets stand before one. */
  rank(lines: Lines, begin: number): number {
    const common = this.common.get(lines) ?? [];
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
  readonly #renaming: Renaming;
  readonly #chains: string[] = [];
  readonly #number: (name: string) => number;
  /** Chains that are told already. */
  #told = 0;
  #own = "";
  readonly #among: { readonly begin: number; readonly said: string }[] = [];
  #left = MOST;

  constructor(lines: LinesByOwnerOfText, renaming: Renaming) {
    this.#lines = lines;
    this.#renaming = renaming;
    this.#number = (name) => {
      const known = this.#chains.indexOf(name);
      return known < 0 ? this.#chains.push(name) - 1 : known;
    };
  }

  add(address: Ipv4): boolean {
    const { scanned, addresses } = this.#lines;
    for (const begin of addresses.linesOf(address)) {
      const at = nameAt(scanned.text, begin);
      // Nearly every line is of a chain that is known by now.
      if (this.#chains.some((name) => scanned.text.startsWith(name, at))) continue;
      const name = scanned.text.slice(at, scanned.text.indexOf(" ", at));
      if (isHashedChain(name)) this.#number(name);
      else this.#meet(scanned.ownerAt(begin), begin);
      if (this.#left < 0) return false;
    }
    return this.#follow();
  }

  /** A line about it in a chain that is everybody's. */
  #meet(owner: Lines, begin: number): void {
    if (this.#among.some((l) => l.begin === begin)) return;
    const said = this.#say(owner, begin, this.#lines.scanned.text.indexOf("\n", begin));
    this.#among.push({ begin, said: `${owner.name} ${this.#lines.rank(owner, begin)}${said}` });
  }

  /** The chains that were named since, whole, and who leads to them. */
  #follow(): boolean {
    const { scanned, leadingTo } = this.#lines;
    for (; this.#told < this.#chains.length; this.#told++) {
      const name = this.#chains[this.#told]!;
      this.#own += `:${withoutHash(name)}\n`;
      const lines = scanned.byName.get(name);
      if (lines === undefined) continue;
      for (const run of lines.runs) {
        let at = run.from;
        for (let i = 0; i < run.lines; i++) {
          const end = scanned.text.indexOf("\n", at);
          this.#own += this.#say(lines, at, end);
          if (this.#left < 0) return false;
          at = end + 1;
        }
      }
      for (const begin of leadingTo.get(name) ?? []) this.#meet(scanned.ownerAt(begin), begin);
    }
    return true;
  }

  #say({ name }: Lines, begin: number, end: number): string {
    this.#left--;
    const { text } = this.#lines.scanned;
    return `${ownWords(text, bodyOf(text, begin, name), end, this.#renaming, this.#number)}\n`;
  }

  text(): string {
    const among = this.#among.sort((a, b) => a.begin - b.begin).map((l) => l.said);
    return `${this.#own}${among.join("")}`;
  }

  isPlain(): boolean {
    const { byName } = this.#lines.scanned;
    return isPlain(this.text(), (name) => name.startsWith("<") || byName.has(name));
  }
}
