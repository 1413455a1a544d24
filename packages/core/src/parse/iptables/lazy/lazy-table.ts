import type {
  Chain,
  Extent,
  IptablesBackend,
  IptablesTable,
  IptablesTableName,
  JumpTarget,
  LinesByOwner,
  NetworksOfText,
  Origin,
  PlacedRule,
  Rule,
  UnreadTable,
} from "../../../model/index.ts";
import { read as readAt, ruleInPlace } from "../../../model/index.ts";
import { type Address, type Family, type Ipv4, isIpv4 } from "../../../net/index.ts";
import { readRule } from "../rule/rule.ts";
import { splitWords } from "../rule/words.ts";
import { FastReader, type RuleHome } from "../save/fast.ts";
import { parseCounters } from "../save/save.ts";
import { LazyChain } from "./lazy-chain.ts";
import type { Lines } from "./lines.ts";
import type { Lineage } from "./scanned-table.ts";
import type { FoundLine, TableChains } from "./table-chains.ts";

const NONE: readonly PlacedRule[] = [];

/** How what stands around a table has it read. */
export interface Settled {
  readonly family: Family;
  readonly backend: IptablesBackend;
  readonly extent: Extent;
  readonly file: string;
}

/** A table of which the scan knows where the lines of each chain are. */
export class LazyTable implements IptablesTable, UnreadTable {
  readonly name: IptablesTableName;
  readonly family: Family;
  readonly backend: IptablesBackend;
  /** Of its own, and made when it is asked for: a copy of the table has all of its chains. */
  declare readonly chains: readonly Chain[];
  readonly extent: Extent;
  readonly origin: Origin;
  readonly #text: TableChains;
  readonly #file: string;
  readonly #reader: FastReader<Lines>;
  readonly #said = new Map<string, readonly PlacedRule[]>();

  constructor(text: TableChains, { family, backend, extent, file }: Settled) {
    this.#text = text;
    this.#file = file;
    this.name = text.name;
    this.family = family;
    this.backend = backend;
    this.extent = extent;
    this.origin = readAt(file, text.line);
    let chains: readonly Chain[] | undefined;
    Object.defineProperty(this, "chains", {
      enumerable: true,
      get: () => {
        chains ??= Array.from({ length: text.size }, (_, i) => this.#chainOf(text.linesAt(i)));
        return chains;
      },
    });
    const home: RuleHome<Lines> = {
      family,
      backend,
      name: this.name,
      origin: this.origin,
      jumpTo: (_, line, start, end) => this.#jumpTo(line.slice(start, end)),
    };
    this.#reader = new FastReader(home);
  }

  get unread(): UnreadTable {
    return this;
  }

  chainNamed(name: string): Chain | undefined {
    const lines = this.#text.named(name);
    return lines === undefined ? undefined : this.#chainOf(lines);
  }

  nameAt(place: number): string | undefined {
    return place < this.size ? this.#text.nameAt(place) : undefined;
  }

  placeOf(name: string): number {
    return this.#text.placeOf(name);
  }

  chainsStarting(start: string): readonly Chain[] {
    return this.#text.starting(start).map((lines) => this.#chainOf(lines));
  }

  get size(): number {
    return this.#text.size;
  }

  chainAt(place: number): Chain | undefined {
    return place < this.size ? this.#chainOf(this.#text.linesAt(place)) : undefined;
  }

  #chainOf(lines: Lines): Chain {
    lines.chain ??= new LazyChain(lines, readAt(this.#file, lines.line), this);
    return lines.chain;
  }

  get home(): object {
    return this.#text.home;
  }

  apart(): readonly string[] {
    return this.#text.apart();
  }

  holds(lineage: object): boolean {
    return this.#text.holds(lineage as Lineage);
  }

  isSame(other: UnreadTable): boolean {
    return other instanceof LazyTable && this.#text.isSame(other.#text);
  }

  #jumpTo(name: string): JumpTarget | undefined {
    return this.#text.named(name)?.jump;
  }

  /** The rules of the line that begins at `at`: one, but for lists of addresses. */
  read(lines: Lines, at: number, number: number): readonly Rule[] {
    const { text } = lines.home;
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end);
    const counted = line.charCodeAt(0) === 91 ? parseCounters(line, 0) : undefined;
    const from = (counted === undefined ? 0 : counted.end + 1) + lines.name.length + 4;
    const origin = readAt(this.#file, number);
    const quick = this.#reader.read(line, from, lines, number, origin, counted?.counters);
    if (quick !== undefined) return [quick];
    return readRule(splitWords(line, from), 0, {
      family: this.family,
      backend: this.backend,
      table: this.name,
      chain: lines.name,
      origin,
      counters: counted?.counters,
      // Said by whoever reads the table as a whole.
      report: () => {},
    });
  }

  readAll(lines: Lines): readonly Rule[] {
    const { text } = lines.home;
    const starts = lines.order === undefined ? undefined : lines.index().starts;
    const rules: Rule[] = [];
    let place = 0;
    for (const run of lines.runs) {
      let at = run.from;
      for (let i = 0; i < run.lines; i++, place++) {
        const before = lines.places?.readBefore(place);
        if (before !== undefined) rules.push(before);
        else for (const rule of this.read(lines, starts?.[place] ?? at, run.line + i)) rules.push(rule);
        at = text.indexOf("\n", at) + 1;
      }
    }
    return rules;
  }

  /** Takes over the rules of the same table, read as a whole, where none of a chain was read yet. */
  adopt({ chains }: IptablesTable): void {
    for (const [i, chain] of chains.entries()) {
      const lines = this.#text.linesAt(i);
      if (lines.places === undefined) lines.rules ??= chain.rules;
    }
  }

  saying(text: string, chains?: readonly string[]): readonly PlacedRule[] {
    const asked = chains === undefined ? text : `${text}\n${chains.join(" ")}`;
    let said = this.#said.get(asked);
    if (said === undefined) {
      said = this.#rulesAt(this.#text.saying(text, chains));
      this.#said.set(asked, said);
    }
    return said;
  }

  naming(address: Address, chains?: readonly string[]): readonly PlacedRule[] {
    const found = isIpv4(address) ? this.#text.naming(address, chains) : [];
    return found.length === 0 ? NONE : this.#rulesAt(found);
  }

  mayName(address: Address): boolean {
    return isIpv4(address) && this.#text.mayName(address);
  }

  chainsNaming(address: Address, own: boolean): readonly string[] {
    return isIpv4(address) ? this.#text.chainsNaming(address, own) : [];
  }

  networks(): NetworksOfText {
    return this.#text.networks();
  }

  linesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined {
    return this.#text.linesByOwner(isCommon);
  }

  homeLinesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined {
    return this.#text.homeLinesByOwner(isCommon);
  }

  /** The rules of these lines. */
  #rulesAt(lines: readonly FoundLine[]): readonly PlacedRule[] {
    const uneven = new Set<Chain>();
    const found: PlacedRule[] = [];
    for (const { lines: own, place } of lines) {
      const chain = this.#chainOf(own);
      const rule = this.#ruleOf(chain, own, place);
      if (rule !== undefined) found.push({ chain, rule });
      else if (!uneven.has(chain)) {
        uneven.add(chain);
        for (const one of chain.rules) found.push({ chain, rule: one });
      }
    }
    return found;
  }

  /** Undefined where lines are not rules one by one. */
  #ruleOf(chain: Chain, lines: Lines, place: number): Rule | undefined {
    const rule = ruleInPlace(chain, place);
    return lines.rules === undefined || lines.rules.length === lines.count ? rule : undefined;
  }
}
