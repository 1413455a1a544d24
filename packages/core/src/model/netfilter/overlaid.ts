import type { Address } from "../../net/index.ts";
import type { LinesByOwner } from "./own-lines.ts";
import type { Chain, IptablesTable } from "./rule.ts";
import type { PlacedRule, UnreadTable } from "./unread.ts";

/** What is otherwise in a table. */
export interface ChainChanges {
  /** What becomes of a chain, which stays in its place; itself where nothing does. Asked for those alone that somebody asks for. */
  readonly change: (chain: Chain) => Chain;
  /** The names of chains in which there may be rules that were not. */
  readonly grown: readonly string[];
  readonly removed?: ReadonlySet<string>;
  /** Behind all others. */
  readonly added?: readonly Chain[];
}

const NONE: ReadonlySet<string> = new Set();

/** A table with some chains changed. Of one that is known as text the others stay text: tens of thousands of them are not made to change one. */
export function withChains(table: IptablesTable, changes: ChainChanges): IptablesTable {
  const { change, removed = NONE, added = [] } = changes;
  if (table.unread !== undefined) return new OverlaidTable(table, table.unread, changes);
  return { ...table, chains: [...table.chains.filter((c) => !removed.has(c.name)).map(change), ...added] };
}

/** The chains of a table that stand there otherwise than some text says. */
export const chainsNotRead = (table: IptablesTable): readonly Chain[] =>
  table.unread === undefined ? table.chains.filter((c) => c.unread === undefined) : (table.unread.changed?.() ?? []);

class OverlaidTable implements IptablesTable, UnreadTable {
  readonly name: IptablesTable["name"];
  readonly family: IptablesTable["family"];
  readonly backend: IptablesTable["backend"];
  readonly extent: IptablesTable["extent"];
  readonly origin: IptablesTable["origin"];
  /** Of its own, and made when it is asked for: a copy of the table has all of its chains. */
  declare readonly chains: readonly Chain[];
  readonly #below: UnreadTable;
  readonly #change: (chain: Chain) => Chain;
  readonly #grown: readonly string[];
  readonly #removed: ReadonlySet<string>;
  readonly #added: readonly Chain[];
  readonly #changed = new Map<Chain, Chain>();
  #gone: readonly number[] | undefined;

  constructor(base: IptablesTable, below: UnreadTable, { change, grown, removed = NONE, added = [] }: ChainChanges) {
    this.name = base.name;
    this.family = base.family;
    this.backend = base.backend;
    this.extent = base.extent;
    this.origin = base.origin;
    this.#below = below;
    this.#change = change;
    this.#grown = grown;
    this.#removed = removed;
    this.#added = added;
    let chains: readonly Chain[] | undefined;
    Object.defineProperty(this, "chains", {
      enumerable: true,
      get: () => {
        chains ??= Array.from({ length: this.size }, (_, i) => this.chainAt(i)!);
        return chains;
      },
    });
  }

  get unread(): UnreadTable {
    return this;
  }

  /** Its own: nobody else has these chains. */
  get home(): object {
    return this;
  }

  apart(): readonly string[] {
    return [];
  }

  holds(): boolean {
    return false;
  }

  isSame(other: UnreadTable): boolean {
    return other === this;
  }

  #now(chain: Chain): Chain {
    let now = this.#changed.get(chain);
    if (now === undefined) {
      now = this.#change(chain);
      this.#changed.set(chain, now);
    }
    return now;
  }

  /** The places of chains that are no more. */
  get #places(): readonly number[] {
    this.#gone ??= [...this.#removed]
      .map((name) => this.#below.placeOf(name))
      .filter((place) => place >= 0)
      .sort((a, b) => a - b);
    return this.#gone;
  }

  get #kept(): number {
    return this.#below.size - this.#places.length;
  }

  get size(): number {
    return this.#kept + this.#added.length;
  }

  chainAt(place: number): Chain | undefined {
    const kept = this.#kept;
    if (place >= kept) return this.#added[place - kept];
    const chain = this.#below.chainAt(this.#placeBelow(place));
    return chain === undefined ? undefined : this.#now(chain);
  }

  nameAt(place: number): string | undefined {
    const kept = this.#kept;
    return place >= kept ? this.#added[place - kept]?.name : this.#below.nameAt(this.#placeBelow(place));
  }

  #placeBelow(place: number): number {
    let at = place;
    for (const gone of this.#places) if (gone <= at) at++;
    return at;
  }

  placeOf(name: string): number {
    const place = this.#removed.has(name) ? -1 : this.#below.placeOf(name);
    if (place >= 0) return place - this.#places.filter((gone) => gone < place).length;
    const added = this.#added.findIndex((c) => c.name === name);
    return added < 0 ? -1 : this.#kept + added;
  }

  chainNamed(name: string): Chain | undefined {
    const chain = this.#removed.has(name) ? undefined : this.#below.chainNamed(name);
    return chain === undefined ? this.#added.find((c) => c.name === name) : this.#now(chain);
  }

  chainsStarting(start: string): readonly Chain[] {
    const kept = this.#below.chainsStarting(start).filter((c) => !this.#removed.has(c.name));
    return [...kept.map((c) => this.#now(c)), ...this.#added.filter((c) => c.name.startsWith(start))];
  }

  /** Of chains that were changed all rules: whoever asks looks at what they are. */
  saying(text: string, chains?: readonly string[]): readonly PlacedRule[] {
    return this.#with(this.#below.saying(text, chains), chains);
  }

  naming(address: Address, chains?: readonly string[]): readonly PlacedRule[] {
    return this.#with(this.#below.naming(address, chains), chains);
  }

  #with(below: readonly PlacedRule[], wanted: readonly string[] | undefined): readonly PlacedRule[] {
    const found = new Map<string, PlacedRule[]>();
    const all = (chain: Chain): void => {
      if (wanted === undefined || wanted.includes(chain.name))
        found.set(
          chain.name,
          chain.rules.map((rule) => ({ chain, rule })),
        );
    };
    for (const placed of below) {
      const { chain } = placed;
      if (this.#removed.has(chain.name)) continue;
      const now = this.#now(chain);
      if (now === chain) {
        const known = found.get(chain.name);
        if (known === undefined) found.set(chain.name, [placed]);
        else known.push(placed);
      } else if (!found.has(chain.name)) all(now);
    }
    for (const name of this.#grown) {
      const chain = found.has(name) ? undefined : this.chainNamed(name);
      if (chain !== undefined) all(chain);
    }
    for (const chain of this.#added) all(chain);
    const placed = [...found].map(([name, rules]) => ({ place: this.placeOf(name), rules }));
    return placed.sort((a, b) => a.place - b.place).flatMap(({ rules }) => rules);
  }

  mayName(): boolean {
    return true;
  }

  chainsNaming(address: Address): readonly string[] {
    const below = this.#below.chainsNaming(address, false).filter((name) => !this.#removed.has(name));
    return [...new Set([...below, ...this.#grown, ...this.#added.map((c) => c.name)])];
  }

  linesByOwner(): LinesByOwner | undefined {
    return undefined;
  }

  homeLinesByOwner(): LinesByOwner | undefined {
    return undefined;
  }

  changed(): readonly Chain[] {
    const below =
      this.#below
        .changed?.()
        .filter((c) => !this.#removed.has(c.name))
        .map((c) => this.#now(c)) ?? [];
    const grown = this.#grown.flatMap((name) => this.chainNamed(name) ?? []).filter((c) => c.unread === undefined);
    return [...new Set([...below, ...grown, ...this.#added])];
  }
}
