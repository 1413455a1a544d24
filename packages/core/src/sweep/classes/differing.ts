import type { Chain, IptablesTable, Rule, Stack } from "../../model/index.ts";
import { chainNamed, ruleCount } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import type { Address } from "../../net/index.ts";
import { isOfAll } from "../views/port-rules.ts";
import { asksForOtherPorts, concerns, onlyAddress, type Slice, type SlicedTable, textOfRule } from "../views/slice.ts";
import type { Base } from "../views/stack-view.ts";

/** In which rules chains of one name differ from node to node; undefined: in more than can be told by rules. */
export type Difference = readonly Rule[] | undefined;

/** So many rules are read to see in which of them chains differ. */
const MOST_RULES = 60_000;

/**
 * In which rules the tables of many nodes differ that have most of their chains in common. Packets that none of these rules concerns find the same
 * rules on all of them.
 */
export class Differing {
  readonly #homes = new Map<object, Map<string, Difference>>();

  /** Chains that differ, and have no rule for single addresses or ports anywhere: what is said to everybody has all that they say. */
  readonly #ofAll = new Map<object, ReadonlySet<string>>();

  constructor(stacks: readonly Stack[]) {
    const byHome = new Map<object, IptablesTable[]>();
    for (const { netfilter } of stacks)
      for (const table of netfilter.tables) {
        if (table.unread === undefined) continue;
        const known = byHome.get(table.unread.home);
        if (known === undefined) byHome.set(table.unread.home, [table]);
        else known.push(table);
      }
    for (const [home, tables] of byHome) {
      const differences = differencesOf(tables);
      this.#homes.set(home, differences);
      const isOfAllIn = (name: string) => (table: IptablesTable) => {
        const chain = chainNamed(table, name);
        return chain === undefined || isOfAll(chain);
      };
      this.#ofAll.set(home, new Set([...differences.keys()].filter((name) => tables.every(isOfAllIn(name)))));
      for (const [name, rules] of differences) {
        this.#apart.add(name);
        for (const { source, destination } of rules ?? [])
          for (const address of [onlyAddress(source), onlyAddress(destination)])
            if (address !== undefined) this.#named.add(address);
      }
    }
  }

  /** The chains that are not the same everywhere, and all addresses that rules in which they differ are for. */
  readonly #apart = new Set<string>();
  readonly #named = new Set<Address>();

  /** Whether nodes differ in one of these chains, or in a rule for one of these addresses alone. */
  isAbout(chains: readonly string[], addresses: readonly Address[]): boolean {
    return chains.some((name) => this.#apart.has(name)) || addresses.some((a) => this.#named.has(a));
  }

  /** Whether a chain of a table says nothing that a base which has it does not say. */
  isOfAll({ unread }: IptablesTable, chain: string): boolean {
    return unread !== undefined && this.#ofAll.get(unread.home)?.has(chain) === true;
  }

  /**
   * Whether packets that come to this on one of the nodes may come to something else on another that has the same homes, and of which the base says the
   * same. `base`: what is said there to everybody; absent: nobody asks for it.
   */
  mayMeet(
    tables: readonly IptablesTable[],
    slice: Slice,
    addresses: ReadonlySet<Address>,
    ports: ReadonlySet<number> | undefined,
    base: Pick<Base, "tables"> | undefined,
  ): boolean {
    return tables.some((table, i) => {
      const differences = table.unread === undefined ? undefined : this.#homes.get(table.unread.home);
      if (differences === undefined || differences.size === 0) return false;
      const said = base?.tables[i]?.names ?? [];
      const { names, ...sliced } = slice.tables[i]!;
      const others = names.filter((name) => !(this.isOfAll(table, name) && said.includes(name)));
      return isAmong(differences, { ...sliced, names: others }, addresses, ports);
    });
  }
}

function isAmong(
  differences: ReadonlyMap<string, Difference>,
  { names, ofNew, missing }: SlicedTable,
  addresses: ReadonlySet<Address>,
  ports: ReadonlySet<number> | undefined,
): boolean {
  // A chain that is led to and not there may be there on another.
  if (missing.some((name) => differences.has(name))) return true;
  return names.some((name) => {
    if (!differences.has(name)) return false;
    const rules = differences.get(name);
    const some = ofNew.has(name) ? ports : undefined;
    return (
      rules === undefined ||
      rules.some((r) => concerns(r, addresses) && (some === undefined || !asksForOtherPorts(r, some)))
    );
  });
}

/** By the names of chains, of those that are not the same in both tables. */
export function differencesBetween(a: IptablesTable, b: IptablesTable): Map<string, Difference> {
  const isOfOneHome = a.unread !== undefined && a.unread.home === b.unread?.home;
  if (isOfOneHome) return differencesOf([a, b]);
  const names = new Set([...a.chains, ...b.chains].map((c) => c.name));
  return differencesOf([a, b], [names, names]);
}

/** By the names of chains, of those that are not the same on all of them. */
function differencesOf(
  tables: readonly IptablesTable[],
  apart = tables.map((t) => new Set(t.unread!.apart())),
): Map<string, Difference> {
  const found = new Map<string, Difference>();
  for (const name of new Set(apart.flatMap((own) => [...own]))) {
    const variants = new Map<object, Chain>();
    let isLacking = false;
    let isOfHome = false;
    for (const [i, table] of tables.entries()) {
      const isOwn = apart[i]!.has(name);
      // All that have it as their home has it have the same.
      if (!isOwn && isOfHome) continue;
      isOfHome ||= !isOwn;
      const chain = chainNamed(table, name);
      if (chain === undefined) isLacking = true;
      else variants.set(chain.unread?.lineage ?? chain, chain);
    }
    const rules = isLacking ? undefined : difference([...variants.values()], tables[0]!);
    if (rules === undefined || rules.length > 0) found.set(name, rules);
  }
  return found;
}

/** The rules that not all have, where packets meet those that all have in the same order everywhere. */
function difference(variants: readonly Chain[], { family }: IptablesTable): Difference {
  const [first] = variants;
  if (first === undefined || variants.reduce((n, c) => n + ruleCount(c), 0) > MOST_RULES) return undefined;
  if (variants.some((c) => c.policy !== first.policy || c.extent !== first.extent)) return undefined;
  const texts = variants.map((c) => c.rules.map((r) => textOfRule(r, c.name, family)));
  const times = new Map<string, number>();
  const twice = new Set<string>();
  for (const list of texts) {
    const seen = new Set<string>();
    for (const text of list) {
      if (seen.has(text)) twice.add(text);
      else times.set(text, (times.get(text) ?? 0) + 1);
      seen.add(text);
    }
  }
  const isCommon = (text: string): boolean => times.get(text) === variants.length && !twice.has(text);
  const common = variants.map((c, i) => inOrder(c.rules, texts[i]!, isCommon));
  if (common.some((text) => text !== common[0])) return undefined;
  const rules = new Map<string, Rule>();
  for (const [i, list] of texts.entries())
    for (const [j, text] of list.entries()) if (!isCommon(text)) rules.set(text, variants[i]!.rules[j]!);
  return [...rules.values()];
}

/**
 * Some rules of a chain as packets meet them: among those for one destination each, or for one port where none is for a destination, the order says nothing.
 * kube-proxy writes the Services of each node in another one.
 */
function inOrder(rules: readonly Rule[], texts: readonly string[], isMeant: (text: string) => boolean): string {
  const meant = rules.flatMap((rule, i) => (isMeant(texts[i]!) ? [{ rule, text: texts[i]! }] : []));
  const isByDestination = meant.some(({ rule }) => onlyAddress(rule.destination) !== undefined);
  const ordered: string[] = [];
  let guarded = new Map<string, string[]>();
  const end = (): void => {
    for (const guard of [...guarded.keys()].sort()) append(ordered, guarded.get(guard)!);
    guarded = new Map();
  };
  for (const { rule, text } of meant) {
    const guard = isByDestination ? onlyAddress(rule.destination) : onlyPort(rule);
    if (guard === undefined) {
      end();
      ordered.push(text);
      continue;
    }
    const known = guarded.get(String(guard));
    if (known === undefined) guarded.set(String(guard), [text]);
    else known.push(text);
  }
  end();
  return ordered.join("\n");
}

/** The one port of one protocol that a rule is for. */
function onlyPort({ matches }: Rule): string | undefined {
  for (const m of matches) {
    if ((m.kind !== "tcp" && m.kind !== "udp") || m.dport === undefined || m.dport.negated) continue;
    const { from, to } = m.dport.value;
    return from === to ? `${m.kind} ${from}` : undefined;
  }
  return undefined;
}
