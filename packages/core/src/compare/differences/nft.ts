import type {
  NftChain,
  NftElement,
  NftExpression,
  NftRule,
  NftSet,
  NftSetReference,
  NftStatement,
  NftTable,
  Origin,
  Stack,
} from "../../model/index.ts";
import { lacking } from "../../net/append.ts";
import type { Element } from "../element.ts";
import { nftHint } from "./nft-hint.ts";

/** Where the nftables tables of two stacks differ: rules, policies and elements of sets. Counters and comments mean nothing. */
export function differingNft(a: Stack, b: Stack): readonly Element[] {
  const [left, right] = [a.netfilter.nft ?? [], b.netfilter.nft ?? []];
  const keys = new Set([...left, ...right].map(keyOf));
  return [...keys].flatMap((key) => {
    const [x, y] = [left.find((t) => keyOf(t) === key), right.find((t) => keyOf(t) === key)];
    const found = new TableDifference(key, x, y).run();
    const about = ({ family }: NftTable): Pick<Element, "unwalkable" | "family"> => {
      if (family === "arp" || family === "bridge") return { unwalkable: "native nft" };
      return family === "ip" ? { family: 4 } : family === "ip6" ? { family: 6 } : {};
    };
    return found.map((e) => ({ ...e, ...about((x ?? y)!) }));
  });
}

const keyOf = (t: NftTable): string => `${t.family} ${t.name}`;

class TableDifference {
  readonly #where: string;
  readonly #a: NftTable | undefined;
  readonly #b: NftTable | undefined;
  readonly #found: Element[] = [];

  constructor(where: string, a: NftTable | undefined, b: NftTable | undefined) {
    this.#where = `nft ${where}`;
    // A table that is asleep is as good as none.
    this.#a = a?.flags.includes("dormant") === true ? undefined : a;
    this.#b = b?.flags.includes("dormant") === true ? undefined : b;
  }

  run(): readonly Element[] {
    const names = <T extends { readonly name: string }>(of: (t: NftTable) => readonly T[]) =>
      new Set(
        [...(this.#a === undefined ? [] : of(this.#a)), ...(this.#b === undefined ? [] : of(this.#b))].map(
          (x) => x.name,
        ),
      );
    for (const name of names((t) => t.chains)) this.#chain(name);
    for (const name of names((t) => t.sets)) this.#set(name);
    return this.#found;
  }

  #chain(name: string): void {
    const [x, y] = [chainOf(this.#a, name), chainOf(this.#b, name)];
    if (headOf(x) !== headOf(y)) {
      const hints = [{}];
      const [a, b] = [x === undefined ? [] : [x.origin], y === undefined ? [] : [y.origin]];
      if (x?.base !== undefined || y?.base !== undefined)
        this.#found.push({
          kind: "policy",
          where: `${this.#where} ${name}`,
          change: "changed",
          a,
          b,
          rules: [],
          hints,
        });
    }
    const [rulesA, rulesB] = [x?.rules ?? [], y?.rules ?? []];
    const onlyA = lacking(rulesA, rulesB, textOf);
    const onlyB = lacking(rulesB, rulesA, textOf);
    for (const rule of onlyA) this.#rule(name, this.#a!, "only in A", rule);
    for (const rule of onlyB) this.#rule(name, this.#b!, "only in B", rule);
    if (onlyA.length + onlyB.length > 0) return;
    for (const [i, rule] of rulesA.entries()) {
      const other = rulesB[i]!;
      if (textOf(rule) === textOf(other)) continue;
      const hints = [nftHint(this.#a!, rule)];
      const [a, b] = [[rule.origin], [other.origin]];
      this.#found.push({ kind: "rule", where: `${this.#where} ${name}`, change: "moved", a, b, rules: [], hints });
    }
  }

  #rule(chain: string, table: NftTable, change: "only in A" | "only in B", rule: NftRule): void {
    const origins: readonly Origin[] = [rule.origin];
    const [a, b] = change === "only in A" ? [origins, []] : [[], origins];
    const hints = [nftHint(table, rule)];
    this.#found.push({ kind: "rule", where: `${this.#where} ${chain}`, change, a, b, rules: [], hints });
  }

  /** An element is met by whoever meets a rule that asks its set. */
  #set(name: string): void {
    const [x, y] = [setOf(this.#a, name), setOf(this.#b, name)];
    const [inA, inB] = [askersOf(this.#a, name), askersOf(this.#b, name)];
    const where = `${this.#where} ${(x ?? y)!.kind} ${name}`;
    const one = (table: NftTable | undefined, change: "only in A" | "only in B", element: NftElement): void => {
      const askers = change === "only in A" ? inA : inB;
      if (table === undefined || askers.length === 0) return;
      const hints = askers.slice(0, 4).map((rule) => nftHint(table, rule, element));
      const [a, b] = [inA.map((r) => r.origin), inB.map((r) => r.origin)];
      this.#found.push({ kind: "set entry", where, change, a, b, rules: [], hints });
    };
    const key = (e: NftElement): string => JSON.stringify([e.key, e.data], plainly);
    const [keysA, keysB] = [new Set(x?.elements.map(key)), new Set(y?.elements.map(key))];
    for (const e of x?.elements ?? []) if (!keysB.has(key(e))) one(this.#a, "only in A", e);
    for (const e of y?.elements ?? []) if (!keysA.has(key(e))) one(this.#b, "only in B", e);
  }
}

const chainOf = (table: NftTable | undefined, name: string): NftChain | undefined =>
  table?.chains.find((c) => c.name === name);
const setOf = (table: NftTable | undefined, name: string): NftSet | undefined =>
  table?.sets.find((s) => s.name === name);
const headOf = (chain: NftChain | undefined): string => JSON.stringify(chain?.base ?? null);

const plainly = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** A rule without what decides nothing. */
const textOf = ({ statements }: NftRule): string =>
  JSON.stringify(
    statements.filter((s) => s.kind !== "counter" && s.kind !== "no effect" && s.kind !== "log"),
    plainly,
  );

const askersOf = (table: NftTable | undefined, set: string): readonly NftRule[] =>
  (table?.chains ?? []).flatMap((c) => c.rules.filter((r) => r.statements.some((s) => asks(s, set))));

const named = (ref: NftSetReference, set: string): boolean => ref.kind === "named" && ref.name === set;

function asks(s: NftStatement, set: string): boolean {
  switch (s.kind) {
    case "match":
      return asksIn(s.left, set) || asksIn(s.right, set);
    case "vmap":
      return named(s.map, set);
    case "set":
      return asksIn(s.value, set);
    case "dnat":
    case "snat":
    case "masquerade":
    case "redirect":
      return [s.address, s.port].some((e) => e !== undefined && asksIn(e, set));
    default:
      return false;
  }
}

const asksIn = (e: NftExpression, set: string): boolean =>
  (e.kind === "set" && named(e.set, set)) || (e.kind === "map" && named(e.data, set));
