import type { Chain, IptablesTable, Origin, Policy, Rule, Stack, Target } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import type { Family } from "../../net/index.ts";
import type { Element, NotShown } from "../element.ts";
import { type Hint, hintOf } from "../hint.ts";
import { disjoint } from "../shape/commute.ts";
import { type Item, type Names, oddsOf } from "../shape/item.ts";
import { mayChange } from "../shape/order.ts";
import { TableShape } from "../shape/table-shape.ts";
import { longestIncreasing } from "./longest-increasing.ts";
import { differingNft } from "./nft.ts";

/** Targets that change a packet in a way no fate shows. */
const UNMODELLED: ReadonlySet<Target["kind"]> = new Set<Target["kind"]>(["tcpmss", "checksum", "classify", "other"]);

export interface Found {
  readonly elements: Element[];
  readonly notShown: NotShown[];
}

/** Where the rules of two stacks differ once names, order and remarks that mean nothing are taken off. */
export function differingTables(a: Stack, b: Stack, names: Names): Found {
  const found: Found = { elements: [], notShown: [] };
  for (const [left, right] of pairs(a.netfilter.tables, b.netfilter.tables)) {
    const table = (left ?? right)!;
    const where = `${table.family === 6 ? "IPv6 " : ""}${table.name}`;
    const side = left === undefined ? a : b;
    if ((left === undefined || right === undefined) && tableNotShown(side, table)) {
      found.notShown.push({ where, side: left === undefined ? "A" : "B" });
      continue;
    }
    new TableDiff(left ?? emptied(table), right ?? emptied(table), names, found).run(where);
  }
  append(found.elements, differingNft(a, b));
  const nativeA = a.netfilter.nativeNft.map((t) => t.name).sort();
  const nativeB = b.netfilter.nativeNft.map((t) => t.name).sort();
  if (nativeA.length + nativeB.length > 0 && nativeA.join() !== nativeB.join()) {
    found.elements.push({
      kind: "rule",
      where: `nft ${[...nativeA, ...nativeB].join(", ")}`,
      change: "changed",
      a: a.netfilter.nativeNft.map((t) => t.origin),
      b: b.netfilter.nativeNft.map((t) => t.origin),
      rules: [],
      hints: [],
      unwalkable: "native nft",
    });
  }
  return found;
}

const hasRules = (t: IptablesTable): boolean => t.chains.some((c) => c.rules.length > 0 || c.policy === "DROP");
const emptied = (t: IptablesTable): IptablesTable => ({ ...t, chains: [], extent: "whole" });

/** A stack of which a table lacks in a whole listing has none; one of which no table was shown may have any. */
const tableNotShown = ({ netfilter }: Stack, { family, name }: IptablesTable): boolean => {
  if (family === 6 && netfilter.unshown6?.includes(name) === true) return true;
  const own = netfilter.tables.filter((t) => t.family === family || family === 4);
  return (family === 4 && own.length === 0) || own.some((t) => t.extent !== "whole");
};

/** Tables of one name and family; by back end only where one side has rules in both. */
function pairs(
  a: readonly IptablesTable[],
  b: readonly IptablesTable[],
): readonly (readonly [IptablesTable | undefined, IptablesTable | undefined])[] {
  const out: (readonly [IptablesTable | undefined, IptablesTable | undefined])[] = [];
  const kinds = new Set([...a, ...b].map((t) => `${t.family} ${t.name}`));
  for (const kind of kinds) {
    const of = (ts: readonly IptablesTable[]) => ts.filter((t) => `${t.family} ${t.name}` === kind);
    const filled = (ts: readonly IptablesTable[]) => of(ts).filter(hasRules);
    if (filled(a).length <= 1 && filled(b).length <= 1) {
      out.push([filled(a)[0] ?? of(a)[0], filled(b)[0] ?? of(b)[0]]);
      continue;
    }
    const backends = new Set([...of(a), ...of(b)].map((t) => t.backend));
    for (const backend of backends)
      out.push([of(a).find((t) => t.backend === backend), of(b).find((t) => t.backend === backend)]);
  }
  return out;
}

/** How a packet comes to a chain, and what else stands in the chains it comes through. */
interface Path {
  readonly rules: readonly Rule[];
  readonly chains: readonly [string, string];
  readonly beside: readonly (readonly Item[])[];
}

const MAX_AROUND = 40;

/** Rules that a packet which meets one of these could meet as well. */
function around(rules: readonly Rule[], beside: Path["beside"]): readonly Hint[] {
  const out = new Map<string, Hint>();
  for (const items of beside) {
    for (const item of items) {
      const [other] = item.rules;
      if (rules.includes(other!) || !rules.some((r) => !disjoint(r, other!))) continue;
      const hint = hintOf([other!]);
      out.set(JSON.stringify(hint), hint);
      if (out.size >= MAX_AROUND) return [...out.values()];
    }
  }
  return [...out.values()];
}

export class TableDiff {
  readonly #a: TableShape;
  readonly #b: TableShape;
  readonly #found: Found;
  readonly #family: Family;
  readonly #strict: boolean;
  readonly #seen = new Set<string>();

  constructor(a: IptablesTable, b: IptablesTable, names: Names, found: Found, strict = false) {
    this.#a = new TableShape(a, names, strict);
    this.#b = new TableShape(b, names, strict);
    this.#found = found;
    this.#family = a.family;
    this.#strict = strict;
  }

  run(where: string): void {
    const builtIn = (t: IptablesTable) => t.chains.filter((c) => c.policy !== undefined);
    const names = new Set([...builtIn(this.#a.table), ...builtIn(this.#b.table)].map((c) => c.name));
    for (const name of names) {
      const [x, y] = [this.#a.chain(name), this.#b.chain(name)];
      this.#policies(where, name, x, y);
      this.#chains(where, name, name, { rules: [], beside: [], chains: [name, name] });
    }
    if (this.#strict) this.#unreached(where);
  }

  /** Chains that nothing leads to as things are, by name. */
  #unreached(where: string): void {
    const met = new Set([...this.#seen].map((pair) => pair.split("\n")[0]));
    for (const { name } of this.#a.table.chains) {
      if (met.has(name) || this.#b.chain(name) === undefined) continue;
      this.#chains(where, name, name, { rules: [], beside: [], chains: [name, name] });
    }
  }

  #policies(where: string, name: string, a: Chain | undefined, b: Chain | undefined): void {
    const policyOf = (c: Chain | undefined) => c?.policy ?? "ACCEPT";
    if (policyOf(a) === policyOf(b)) return;
    if ((a === undefined && this.#a.table.extent !== "whole") || (b === undefined && this.#b.table.extent !== "whole"))
      return;
    if (this.#a.id(name) === this.#b.id(name)) return;
    this.#add({
      kind: "policy",
      where: `${where} ${name}`,
      change: "changed",
      a: a === undefined ? [] : [a.origin],
      b: b === undefined ? [] : [b.origin],
      rules: [],
      hints: [{}],
      alone: (node) => withPolicy(node, this.#a.table, name, policyOf(b), b?.origin ?? a!.origin),
    });
  }

  #chains(where: string, left: string, right: string, way: Path): void {
    if (this.#a.id(left) === this.#b.id(right)) return;
    const pair = `${left}\n${right}`;
    // Called from many places, a chain differs in one way: the first path to it will do to try it.
    if (this.#seen.has(pair)) return;
    this.#seen.add(pair);
    const [a, b] = [this.#a.items(left), this.#b.items(right)];
    const path: Path = { ...way, chains: [left, right], beside: [...way.beside, a, b] };
    const place = left === right ? `${where} ${left}` : `${where} ${left} / ${right}`;
    const shared = sharedKeys(a, b);
    const onlyA = a.filter((i) => !shared.takeA(i));
    const onlyB = b.filter((i) => !shared.takeB(i));
    this.#order(place, shared.a, shared.b, path);
    const waiting = new Map<string, Item[]>();
    for (const item of onlyB) {
      const known = waiting.get(item.match);
      if (known === undefined) waiting.set(item.match, [item]);
      else known.push(item);
    }
    const lonely: Item[] = [];
    for (const item of onlyA) {
      const other = this.#likest(item, waiting.get(item.match) ?? []);
      if (other === undefined) lonely.push(item);
      else this.#changed(where, place, item, other, path);
    }
    const rest = [...waiting.values()].flat();
    for (const item of lonely) {
      // What does the same for other packets is the same rule, changed.
      const at = rest.findIndex((i) => i.effect === item.effect);
      if (at < 0) this.#one(where, place, item, "only in A", path, right);
      else this.#both(place, item, rest.splice(at, 1)[0]!, path);
    }
    for (const item of rest) this.#one(where, place, item, "only in B", path, left);
  }

  /** Of those that ask the same, the one that leads to the same place, or to a chain of the same name; taken out of the list. */
  #likest(item: Item, others: Item[]): Item | undefined {
    if (others.length < 2) return others.shift();
    const chainOf = (i: Item): string | undefined =>
      i.rules[0]!.target.kind === "jump" ? i.rules[0]!.target.chain : undefined;
    const own = chainOf(item);
    const to = own === undefined ? undefined : destinationOf(this.#a.chain(own));
    const same = others.findIndex((o) => {
      const chain = chainOf(o);
      return chain !== undefined && to !== undefined && destinationOf(this.#b.chain(chain)) === to;
    });
    const named = same >= 0 ? same : others.findIndex((o) => own !== undefined && chainOf(o) === own);
    return others.splice(Math.max(0, named), 1)[0];
  }

  #both(place: string, a: Item, b: Item, path: Path): void {
    this.#add(this.#element(place, "changed", a.rules, b.rules, path));
  }

  #changed(where: string, place: string, a: Item, b: Item, path: Path): void {
    const [x, y] = [a.rules[0]!, b.rules[0]!];
    if (a.rules.length === 1 && b.rules.length === 1 && x.target.kind === "jump" && y.target.kind === "jump") {
      if (x.target.goto === y.target.goto && this.#a.chain(x.target.chain) && this.#b.chain(y.target.chain)) {
        this.#chains(where, x.target.chain, y.target.chain, { ...path, rules: [...path.rules, x] });
        return;
      }
    }
    if (this.#shares(where, a, b, path)) return;
    this.#both(place, a, b, path);
  }

  /** Two choices between as many chains, each of which has its counterpart with the same share: what differs is inside. */
  #shares(where: string, a: Item, b: Item, path: Path): boolean {
    const [x, y] = [targetsOf(a.rules), targetsOf(b.rules)];
    if (x === undefined || y === undefined || x.size !== y.size) return false;
    const counterpart = this.#counterparts(x, y);
    if (counterpart === undefined) return false;
    for (const [from, to] of counterpart)
      if (Math.abs(x.get(from)!.share - y.get(to)!.share) > SAME_SHARE) return false;
    for (const [from, to] of counterpart)
      this.#chains(where, from, to, { ...path, rules: [...path.rules, x.get(from)!.rule] });
    return true;
  }

  /** By what is in them, then by where they send packets, then by name; the last one left of each side belong together. */
  #counterparts(x: Shares, y: Shares): ReadonlyMap<string, string> | undefined {
    const out = new Map<string, string>();
    const left = new Set(y.keys());
    const take = (same: (from: string, to: string) => boolean): void => {
      for (const from of x.keys()) {
        if (out.has(from)) continue;
        const to = [...left].find((t) => same(from, t));
        if (to === undefined) continue;
        out.set(from, to);
        left.delete(to);
      }
    };
    take((from, to) => this.#a.id(from) === this.#b.id(to));
    take((from, to) => {
      const [p, q] = [destinationOf(this.#a.chain(from)), destinationOf(this.#b.chain(to))];
      return p !== undefined && p === q;
    });
    take((from, to) => from === to);
    if (left.size === 1) take(() => true);
    return out.size === x.size ? out : undefined;
  }

  #one(
    where: string,
    place: string,
    item: Item,
    change: "only in A" | "only in B",
    path: Path,
    elsewhere: string,
  ): void {
    const lacking = change === "only in A" ? this.#b : this.#a;
    const [rule] = item.rules;
    const idle = lacking.idleJumps(elsewhere).find((i) => i.match === item.match)?.rules[0];
    if (rule!.target.kind === "jump" && !rule!.target.goto && idle?.target.kind === "jump") {
      const inner = [rule!.target.chain, idle.target.chain] as const;
      const [x, y] = change === "only in A" ? inner : ([inner[1], inner[0]] as const);
      this.#chains(where, x, y, { ...path, rules: [...path.rules, rule!] });
      return;
    }
    const chain = lacking.chain(elsewhere);
    const undumped = chain === undefined ? lacking.table.extent !== "whole" : chain.extent !== "whole";
    if (undumped) {
      this.#found.notShown.push({ where: place, side: change === "only in A" ? "B" : "A" });
      return;
    }
    const [a, b] = change === "only in A" ? [item.rules, []] : [[], item.rules];
    this.#add(this.#element(place, change, a, b, path));
  }

  /** What both have, in another order that is not the same: those that changed places with one they may not change with. */
  #order(place: string, a: readonly Item[], b: readonly Item[], path: Path): void {
    if (a.every((item, i) => item.key === b[i]!.key)) return;
    const [left, right] = [inChain(a), inChain(b)];
    const positions = new Map<string, number[]>();
    for (const [i, item] of right.entries()) {
      const known = positions.get(item.key);
      if (known === undefined) positions.set(item.key, [i]);
      else known.push(i);
    }
    const order = left.map((item) => positions.get(item.key)!.shift()!);
    const kept = longestIncreasing(order);
    for (const [i, item] of left.entries()) {
      if (kept.has(i)) continue;
      const crossed = left.some((other, j) => j !== i && j < i !== order[j]! < order[i]! && !mayChange(item, other));
      if (crossed) this.#add(this.#element(place, "moved", item.rules, right[order[i]!]!.rules, path));
    }
  }

  #element(where: string, change: Element["change"], a: readonly Rule[], b: readonly Rule[], path: Path): Element {
    const rules = [...a, ...b];
    const unmodelled = rules.some((r) => UNMODELLED.has(r.target.kind));
    const hints = rules.map((r) => hintOf([...path.rules, r]));
    const deeper = rules.flatMap((r) => this.#deeper(r, path));
    return {
      kind: "rule",
      where,
      change,
      a: originsOf(a),
      b: originsOf(b),
      rules,
      sides: { a, b, chains: path.chains, path: path.rules },
      hints: [...hints, ...deeper],
      around: () => around(rules, path.beside),
      ...(unmodelled && { unwalkable: "not modelled" as const }),
    };
  }

  /** What a jump is about is said by the rules of the chain it leads to. */
  #deeper(rule: Rule, path: Path): Element["hints"] {
    if (rule.target.kind !== "jump") return [];
    const { chain } = rule.target;
    const items = [...this.#a.items(chain), ...this.#b.items(chain)];
    return items.slice(0, 8).map((i) => hintOf([...path.rules, rule, i.rules[0]!]));
  }

  #add(element: Element): void {
    this.#found.elements.push({ ...element, family: this.#family });
  }
}

const inChain = (items: readonly Item[]): readonly Item[] => [...items].sort((x, y) => x.at - y.at);

type Shares = ReadonlyMap<string, { readonly share: number; readonly rule: Rule }>;
const SAME_SHARE = 1e-5;

/** Who gets how much of what is shared out; undefined where a rule leads to no chain, or two to the same. */
export function targetsOf(rules: readonly Rule[]): Shares | undefined {
  const out = new Map<string, { share: number; rule: Rule }>();
  let left = 1;
  for (const rule of rules) {
    const odds = oddsOf(rule);
    if (rule.target.kind !== "jump" || odds === undefined || out.has(rule.target.chain)) return undefined;
    out.set(rule.target.chain, { share: left * odds, rule });
    left *= 1 - odds;
  }
  return out;
}

function destinationOf(chain: Chain | undefined): string | undefined {
  for (const { target } of chain?.rules ?? []) if (target.kind === "dnat") return JSON.stringify(target.to);
  return undefined;
}

function withPolicy(node: Stack, table: IptablesTable, name: string, policy: Policy, origin: Origin): Stack {
  const chains = table.chains.map((c) => (c.name === name ? { ...c, rules: c.rules, policy, origin } : c));
  const tables = node.netfilter.tables.map((t) => (t === table ? { ...t, chains } : t));
  return { ...node, netfilter: { ...node.netfilter, tables } };
}

const originsOf = (rules: readonly Rule[]): readonly Origin[] => rules.map((r) => r.origin);

/** The items that both lists have, each as often as both have it, in the order of either. */
function sharedKeys(a: readonly Item[], b: readonly Item[]) {
  const count = (items: readonly Item[]) => {
    const counts = new Map<string, number>();
    for (const { key } of items) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  };
  const [inA, inB] = [count(a), count(b)];
  const taker = (own: Item[], mine: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>) => {
    const left = new Map([...mine].map(([key, n]) => [key, Math.min(n, others.get(key) ?? 0)]));
    return (item: Item): boolean => {
      const n = left.get(item.key) ?? 0;
      if (n === 0) return false;
      left.set(item.key, n - 1);
      own.push(item);
      return true;
    };
  };
  const [ownA, ownB]: [Item[], Item[]] = [[], []];
  return { a: ownA, b: ownB, takeA: taker(ownA, inA, inB), takeB: taker(ownB, inB, inA) };
}
