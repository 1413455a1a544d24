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
}

/** A table whose rules are read when somebody asks for them. */
export interface UnreadTable {
  /** All of the text that it stands in. */
  readonly text: string;
  chainNamed(name: string): Chain | undefined;
  /** The rules whose line says this text, in the order of the lines. */
  saying(text: string): readonly PlacedRule[];
  /** The rules whose line has this address in it. */
  naming(address: Address): readonly PlacedRule[];
  networks(): NetworksOfText;
  /** `isCommon`: whether an address is known for more than what lines say of it. Undefined: a line that everybody meets looks at more than whether addresses are equal. */
  linesByOwner(isCommon: (address: Ipv4) => boolean): LinesByOwner | undefined;
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

/**
 * The rules of a table that may say a text, as iptables-save prints it. Where the table is known as text only their lines are read;
 * else it is all of its rules: whoever asks looks at what they are.
 */
export const rulesSaying = (table: IptablesTable, text: string): Iterable<PlacedRule> =>
  table.unread?.saying(text) ?? allRules(table);

/** The same for an address. */
export const rulesNaming = (table: IptablesTable, address: Address): Iterable<PlacedRule> =>
  table.unread?.naming(address) ?? allRules(table);

function* allRules({ chains }: IptablesTable): Generator<PlacedRule> {
  for (const chain of chains) for (const rule of chain.rules) yield { chain, rule };
}
