import type { NftChain, NftSet, NftTable } from "../../model/index.ts";

/**
 * Tables of several listings as one each, in the order in which they were first shown: the first whole one stands, else what was shown
 * singly (`nft list chain`, `nft list set`) is put together.
 */
export function mergeNftTables(shown: readonly NftTable[]): readonly NftTable[] {
  const found = new Map<string, NftTable>();
  for (const table of shown) {
    const key = `${table.family} ${table.name}`;
    const had = found.get(key);
    found.set(key, had === undefined ? table : joined(had, table));
  }
  return [...found.values()];
}

function joined(one: NftTable, other: NftTable): NftTable {
  if (one.extent === "whole" && other.extent === "whole") return disputed(one, other);
  if (one.extent === "whole") return one;
  if (other.extent === "whole") return other;
  return {
    ...one,
    flags: [...new Set([...one.flags, ...other.flags])],
    chains: byName(one.chains, other.chains, fuller),
    sets: byName(one.sets, other.sets, knownFirst),
    objects: [
      ...one.objects,
      ...other.objects.filter((o) => !one.objects.some((had) => had.kind === o.kind && had.name === o.name)),
    ],
    flowtables: byName(one.flowtables, other.flowtables, (f) => f),
    ofIptables: one.ofIptables || other.ofIptables,
  };
}

/** Two whole listings that disagree on a chain: which of them holds, nobody can say. */
function disputed(one: NftTable, other: NftTable): NftTable {
  const texts = new Map(other.chains.map((c) => [c.name, textOf(c)]));
  const names = new Set(one.chains.map((c) => c.name));
  const chains = one.chains.map((c) => (texts.get(c.name) === textOf(c) ? c : { ...c, unread: true as const }));
  const more = other.chains.filter((c) => !names.has(c.name)).map((c) => ({ ...c, unread: true as const }));
  return more.length === 0 && chains.every((c, i) => c === one.chains[i])
    ? one
    : { ...one, chains: [...chains, ...more] };
}

/** What a chain does, without what it counted. */
const textOf = ({ base, rules }: NftChain): string =>
  JSON.stringify(
    [
      base?.type,
      base?.hook,
      base?.priority,
      base?.policy,
      rules.map(({ statements }) => statements.filter((s) => s.kind !== "counter")),
    ],
    plainly,
  );

/** The burst of a limit of packets that names none. */
const BURST = 5;

/** As nft means it: text leaves out what is the default, JSON does not. 128 bits are no number of JSON's. */
function plainly(key: string, value: unknown): unknown {
  if (key === "origin") return undefined;
  if (typeof value === "bigint") return `${value}`;
  if (typeof value !== "object" || value === null) return value;
  const { kind, ...s } = value as { readonly kind?: string } & Readonly<Record<string, unknown>>;
  if (kind === "reject" && s["with"] !== "tcp reset" && s["code"] === "port-unreachable") return { kind };
  // What was used is of the moment.
  if (kind === "quota") return { kind, ...s, used: 0 };
  if (kind === "limit" && s["unit"] === "packets") return { kind, burst: BURST, ...s };
  if (kind === "fib" && s["result"] === "check") return { kind, ...s, result: "oif" };
  return kind === "name" && s["prefix"] === false ? { kind: "symbol", text: s["value"] } : value;
}

/** A jump's target may have been listed as a head alone. */
const fuller = (a: NftChain, b: NftChain): NftChain => (a.rules.length === 0 && b.rules.length > 0 ? b : a);
const knownFirst = (a: NftSet, b: NftSet): NftSet => (!a.elementsKnown && b.elementsKnown ? b : a);

function byName<T extends { readonly name: string }>(
  one: readonly T[],
  other: readonly T[],
  choose: (a: T, b: T) => T,
): readonly T[] {
  const found = new Map(one.map((item) => [item.name, item]));
  for (const item of other) {
    const had = found.get(item.name);
    found.set(item.name, had === undefined ? item : choose(had, item));
  }
  return [...found.values()];
}
