import type { Address, Ipv4 } from "../../net/index.ts";
import type { LinesByOwner, NetworksOfText } from "./own-lines.ts";
import type { Chain, IptablesTable, Rule } from "./rule.ts";

/**
 * A chain whose rules are read when somebody asks for them. It gives some of them without reading the others. Methods, not
 * fields: a copy with other rules has none of them.
 */
export interface UnreadChain {
  /** How many lines of rules it has. No line makes none. */
  readonly lines: number;
  /** Places of the rules that a packet for this destination can match, ascending; undefined: ask `rules`. */
  placesFor(destination: Address): readonly number[] | undefined;
  /** `rules[place]`. */
  ruleAt(place: number): Rule | undefined;
  /** The same for all chains with the same lines, of whichever table: what is found in these is found for all of them. */
  readonly lineage: object;
}

/** A table whose rules are read when somebody asks for them. */
export interface UnreadTable {
  /** The same for all tables that have most of their chains in common. */
  readonly home: object;
  /** The names of the chains in which it is not as its home: which have other lines there, or which one of the two lacks. */
  apart(): readonly string[];
  /** Whether it has a chain of this lineage. */
  holds(lineage: object): boolean;
  /** Whether the other says the same, line by line, in the same places of its file; false where that is not known without reading. */
  isSame(other: UnreadTable): boolean;
  /** How many chains it has: `chains` makes all of them, the rest of this those that are asked for. */
  readonly size: number;
  /** `chains[place]`. */
  chainAt(place: number): Chain | undefined;
  /** Its name: the chain is not made for it. */
  nameAt(place: number): string | undefined;
  chainNamed(name: string): Chain | undefined;
  /** The place of the chain of this name; negative: there is none. */
  placeOf(name: string): number;
  /** Those whose name begins so, in their order. */
  chainsStarting(start: string): readonly Chain[];
  /** The rules whose line says this text, in the order of the lines; of some chains, where `chains` names them. */
  saying(text: string, chains?: readonly string[]): readonly PlacedRule[];
  /** The rules whose line has this address in it. */
  naming(address: Address, chains?: readonly string[]): readonly PlacedRule[];
  /** Whether some line may have this address in it; nothing is read for it. */
  mayName(address: Address): boolean;
  /** The names of the chains of which some line has it, or more; `own`: but for those of all tables of this `home`. Nothing is read for it. */
  chainsNaming(address: Address, own: boolean): readonly string[];
  /** Absent: not known of all of its lines. */
  networks?(): NetworksOfText;
  /** `isCommon`: whether an address is known for more than what lines say of it. Undefined: a line that everybody meets looks at more than whether addresses are equal. */
  linesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined;
  /** The same of the lines of its home: `apart` tells in which chains it has others. */
  homeLinesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined;
  /** Chains that are not as the text has them. */
  changed?(): readonly Chain[];
}

export interface PlacedRule {
  readonly chain: Chain;
  readonly rule: Rule;
}

/** How many rules a chain has, without reading them; where a line is a list of rules, how many lines. */
export const ruleCount = (chain: Chain): number => chain.unread?.lines ?? chain.rules.length;

/** `chain.rules[place]`, of an unread chain without reading the others. */
export const ruleInPlace = (chain: Chain, place: number): Rule | undefined =>
  chain.unread === undefined ? chain.rules[place] : chain.unread.ruleAt(place);

/** How many chains a table has, without making them. */
export const chainCount = (table: IptablesTable): number => table.unread?.size ?? table.chains.length;

/** `table.chains[place]`, without making the others. */
export const chainAt = (table: IptablesTable, place: number): Chain | undefined =>
  table.unread === undefined ? table.chains[place] : table.unread.chainAt(place);

export const chainNamed = (table: IptablesTable, name: string): Chain | undefined =>
  table.unread === undefined ? table.chains.find((c) => c.name === name) : table.unread.chainNamed(name);

/** The first chain of which a test holds; those behind it are not made. */
export function findChain(table: IptablesTable, test: (chain: Chain) => boolean): Chain | undefined {
  const count = chainCount(table);
  for (let place = 0; place < count; place++) {
    const chain = chainAt(table, place)!;
    if (test(chain)) return chain;
  }
  return undefined;
}

export const someChain = (table: IptablesTable, test: (chain: Chain) => boolean): boolean =>
  findChain(table, test) !== undefined;

/** The chains whose name a test holds of, one by one; others are not made. */
export function* chainsCalled(table: IptablesTable, test: (name: string) => boolean): Generator<Chain> {
  const { unread } = table;
  if (unread === undefined) {
    for (const chain of table.chains) if (test(chain.name)) yield chain;
    return;
  }
  for (let place = 0; place < unread.size; place++) if (test(unread.nameAt(place)!)) yield unread.chainAt(place)!;
}

/** The chains whose name begins so. */
export const chainsStarting = (table: IptablesTable, start: string): readonly Chain[] =>
  table.unread === undefined
    ? table.chains.filter((c) => c.name.startsWith(start))
    : table.unread.chainsStarting(start);

/**
 * The rules of a table that may say a text, as iptables-save prints it. Where the table is known as text only their lines are read;
 * else it is all of its rules: whoever asks looks at what they are. Who wants those of a few chains names these: the rest is not searched.
 */
export const rulesSaying = (table: IptablesTable, text: string, chains?: readonly string[]): Iterable<PlacedRule> =>
  table.unread?.saying(text, chains) ?? allRules(table, chains);

/** The same for an address. */
export const rulesNaming = (table: IptablesTable, address: Address, chains?: readonly string[]): Iterable<PlacedRule> =>
  table.unread?.naming(address, chains) ?? allRules(table, chains);

function* allRules({ chains }: IptablesTable, wanted: readonly string[] | undefined): Generator<PlacedRule> {
  for (const chain of chains)
    if (wanted === undefined || wanted.includes(chain.name)) for (const rule of chain.rules) yield { chain, rule };
}
