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
import { AddressesOfText } from "./addresses-of-text.ts";
import { LazyChain } from "./lazy-chain.ts";
import type { Lines } from "./lines.ts";
import { LinesByOwnerOfText } from "./lines-by-owner.ts";
import type { ScannedTable } from "./scan.ts";

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
  readonly chains: readonly Chain[];
  readonly extent: Extent;
  readonly origin: Origin;
  readonly #scanned: ScannedTable;
  readonly #file: string;
  readonly #reader: FastReader<Lines>;
  readonly #addresses: AddressesOfText;
  readonly #said = new Map<string, readonly PlacedRule[]>();

  constructor(scanned: ScannedTable, { family, backend, extent, file }: Settled) {
    this.#scanned = scanned;
    this.#file = file;
    this.#addresses = new AddressesOfText(scanned);
    this.name = scanned.name;
    this.family = family;
    this.backend = backend;
    this.extent = extent;
    this.origin = readAt(file, scanned.line);
    this.chains = scanned.chains.map((lines) => {
      lines.chain = new LazyChain(lines, readAt(file, lines.line), this);
      return lines.chain;
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
    return this.#scanned.byName.get(name)?.chain;
  }

  get text(): string {
    return this.#scanned.text;
  }

  #jumpTo(name: string): JumpTarget | undefined {
    return this.#scanned.byName.get(name)?.jump;
  }

  /** The rules of the line that begins at `at`: one, but for lists of addresses. */
  read(lines: Lines, at: number, number: number): readonly Rule[] {
    const { text } = this.#scanned;
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
    const { text } = this.#scanned;
    const rules: Rule[] = [];
    let place = 0;
    for (const run of lines.runs) {
      let at = run.from;
      for (let i = 0; i < run.lines; i++, place++) {
        const before = lines.places?.readBefore(place);
        if (before !== undefined) rules.push(before);
        else for (const rule of this.read(lines, at, run.line + i)) rules.push(rule);
        at = text.indexOf("\n", at) + 1;
      }
    }
    return rules;
  }

  /** Takes over the rules of the same table, read as a whole, where none of a chain was read yet. */
  adopt({ chains }: IptablesTable): void {
    for (const [i, lines] of this.#scanned.chains.entries())
      if (lines.places === undefined) lines.rules ??= chains[i]!.rules;
  }

  saying(text: string): readonly PlacedRule[] {
    let said = this.#said.get(text);
    if (said === undefined) {
      said = this.#rulesAt(this.#scanned.linesSaying(text));
      this.#said.set(text, said);
    }
    return said;
  }

  naming(address: Address): readonly PlacedRule[] {
    const begins = isIpv4(address) ? this.#addresses.linesOf(address) : [];
    return begins.length === 0 ? NONE : this.#rulesAt(begins);
  }

  networks(): NetworksOfText {
    return this.#addresses.networks();
  }

  linesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined {
    return LinesByOwnerOfText.of(this.#scanned, this.#addresses, isCommon);
  }

  /** The rules of the lines that begin at these places. */
  #rulesAt(begins: readonly number[]): readonly PlacedRule[] {
    const uneven = new Set<Chain>();
    const found: PlacedRule[] = [];
    for (const { lines, place } of this.#scanned.located(begins)) {
      const chain = lines.chain!;
      const rule = this.#ruleOf(chain, lines, place);
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
