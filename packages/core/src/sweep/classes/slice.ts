import {
  type Chain,
  type IpSet,
  type IptablesTable,
  type Rule,
  ruleInPlace,
  type SetEntry,
  type Stack,
} from "../../model/index.ts";
import { type Address, ANY4, type Family, isHostMask, isIpv4, maxLength } from "../../net/index.ts";
import { printSave as printSets } from "../../parse/ipset/index.ts";
import { printRule } from "../../parse/iptables/index.ts";
import { printSave as printServers } from "../../parse/ipvs/index.ts";
import { printRuleset } from "../../parse/nft/index.ts";
import { addressesOf, slicedNft } from "./slice-nft.ts";

/** The one address a criterion asks for. */
const onlyAddress = (criterion: Rule["source"]): Address | undefined =>
  criterion !== undefined && !criterion.negated && isHostMask(criterion.value.mask)
    ? criterion.value.address
    : undefined;

/** A rule for one address that none of these packets has never matches, and never leads anywhere. */
function concerns({ source, destination }: Rule, addresses: ReadonlySet<Address>): boolean {
  const [from, to] = [onlyAddress(source), onlyAddress(destination)];
  return (from === undefined || addresses.has(from)) && (to === undefined || addresses.has(to));
}

/**
 * Rules of a chain that may concern packets with these addresses, and others that do not. Of a long chain that is known as text, those for one
 * destination that none of them has are not read.
 */
function* rulesFor(chain: Chain, addresses: ReadonlySet<Address>): Generator<Rule> {
  const { unread } = chain;
  const asked = [...addresses].filter(isIpv4);
  const lists =
    unread === undefined ? [undefined] : (asked.length === 0 ? [ANY4] : asked).map((a) => unread.placesFor(a));
  const known = lists.filter((l) => l !== undefined);
  if (known.length < lists.length) yield* chain.rules;
  else
    for (const place of [...new Set(known.flat())].sort((a, b) => a - b)) {
      const rule = ruleInPlace(chain, place);
      if (rule !== undefined) yield rule;
    }
}

/** The addresses that an entry is for, each of them alone. */
const hostsOf = ({ parts, nomatch }: SetEntry): readonly Address[] =>
  nomatch ? [] : parts.flatMap((p) => (p.kind === "address" && p.length === maxLength(p.from) ? [p.from] : []));

/** Entries for addresses that no packet has are never found. */
function slicedSet(set: IpSet, addresses: ReadonlySet<Address>): IpSet {
  return { ...set, entries: set.entries.filter((e) => hostsOf(e).every((a) => addresses.has(a))) };
}

/** The rules, sets and virtual servers of a stack that packets with given addresses can meet, as text. */
export class Slices {
  readonly #stack: Stack;
  /** Addresses that single rules are for: which of them packets have decides what they can meet. */
  readonly #singled: Set<Address>;
  /** Tables that are known as text: whether they name an address is asked when it comes. */
  readonly #unread: readonly IptablesTable[];
  readonly #looked = new Set<Address>();
  readonly #builtIn = new Map<IptablesTable, readonly Chain[]>();
  readonly #rest: string;
  readonly #known = new Map<string, string>();
  readonly #texts = new Map<Rule, string>();

  constructor(stack: Stack) {
    this.#stack = stack;
    const singled = new Set<Address>();
    this.#unread = stack.netfilter.tables.filter((t) => t.unread !== undefined);
    for (const { chains, unread } of stack.netfilter.tables)
      for (const { rules } of unread === undefined ? chains : [])
        for (const { source, destination } of rules)
          for (const address of [onlyAddress(source), onlyAddress(destination)])
            if (address !== undefined) singled.add(address);
    for (const { key } of stack.ipvs.services) if (key.kind === "address") singled.add(key.address);
    for (const set of stack.ipsets.items)
      for (const entry of set.entries) for (const a of hostsOf(entry)) singled.add(a);
    const { tables, nft = [], ...others } = stack.netfilter;
    for (const { sets } of nft)
      for (const { elements } of sets) for (const { key } of elements) for (const a of addressesOf(key)) singled.add(a);
    this.#singled = singled;
    this.#rest = [
      tables.map((t) => `${t.family}${t.name}${t.backend}${t.extent}`).join(" "),
      nft.map((t) => `${t.family}${t.name}${t.extent}`).join(" "),
      JSON.stringify(others, (key, value: unknown) => (/origins?$/i.test(key) ? undefined : value)),
      stack.ipsets.extent,
      stack.ipvs.extent,
    ].join("\n");
  }

  of(addresses: readonly Address[]): string {
    const own = addresses.filter((a) => this.#isSingled(a));
    const key = own.map(String).sort().join(" ");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const wanted = new Set(own);
    const { netfilter, ipvs, ipsets } = this.#stack;
    const servers = ipvs.services.filter((s) => s.key.kind !== "address" || wanted.has(s.key.address));
    const text = [
      ...netfilter.tables.map((t) => this.#sliced(t, wanted)),
      printRuleset((netfilter.nft ?? []).map((t) => slicedNft(t, wanted))),
      printSets(ipsets.items.map((s) => slicedSet(s, wanted))),
      printServers(servers),
      this.#rest,
    ].join("\n");
    this.#known.set(key, text);
    return text;
  }

  #isSingled(address: Address): boolean {
    if (this.#unread.length > 0 && !this.#looked.has(address)) {
      this.#looked.add(address);
      if (this.#unread.some((t) => t.unread!.naming(address).length > 0)) this.#singled.add(address);
    }
    return this.#singled.has(address);
  }

  /** Chains that a rule which concerns them leads to, from the built-in ones on. */
  #sliced(table: IptablesTable, addresses: ReadonlySet<Address>): string {
    const { name, family, chains, unread } = table;
    const all = unread === undefined ? new Map(chains.map((c) => [c.name, c])) : undefined;
    const named = (chain: string): Chain | undefined => all?.get(chain) ?? unread?.chainNamed(chain);
    let builtIn = this.#builtIn.get(table);
    if (builtIn === undefined) {
      builtIn = chains.filter((c) => c.policy !== undefined);
      this.#builtIn.set(table, builtIn);
    }
    const queue = [...builtIn];
    const seen = new Set(queue);
    const lines = [`*${name} ${family}`];
    for (let chain = queue.shift(); chain !== undefined; chain = queue.shift()) {
      lines.push(`:${chain.name} ${chain.policy ?? "-"} ${chain.extent}`);
      for (const rule of rulesFor(chain, addresses)) {
        if (!concerns(rule, addresses)) continue;
        lines.push(this.#text(chain.name, rule, family));
        const next = rule.target.kind === "jump" ? named(rule.target.chain) : undefined;
        if (next === undefined || seen.has(next)) continue;
        seen.add(next);
        queue.push(next);
      }
    }
    return lines.join("\n");
  }

  #text(chain: string, rule: Rule, family: Family): string {
    const known = this.#texts.get(rule);
    if (known !== undefined) return known;
    const text = printRule(rule, chain, family).replace(/\[\d+:\d+\]/g, "");
    this.#texts.set(rule, text);
    return text;
  }
}
