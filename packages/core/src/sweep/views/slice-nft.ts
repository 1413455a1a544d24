import { isVerdict, type NftChain, type NftExpression, type NftTable } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import { printNftRule } from "../../parse/nft/index.ts";

/** The addresses that an element is for, each of them alone. */
export function addressesOf(key: NftExpression): readonly Address[] {
  if (key.kind === "address") return [key.value];
  return key.kind === "concat" ? key.parts.flatMap(addressesOf) : [];
}

/** What reckons a key from an address, or takes it from elsewhere than a packet's addresses. */
const RECKONS = /addr\)? (?:[&|^]|<<|>>)|@(?:ll|nh|th|ih),|\brt |\bsocket |\bipsec /;

const plain = new WeakMap<NftTable, boolean>();

/** Whether sets are asked for nothing but addresses that packets have. */
function isPlain(table: NftTable): boolean {
  let known = plain.get(table);
  if (known === undefined) {
    known = !table.chains.some((c) => c.rules.some((r) => RECKONS.test(printNftRule({ ...r, comment: "" }))));
    plain.set(table, known);
  }
  return known;
}

/**
 * A table without elements for addresses that no packet has, and without chains that only these lead to: both are never found. Base
 * chains, and whatever a rule or an element that is left names, stay.
 */
export function slicedNft(table: NftTable, addresses: ReadonlySet<Address>): NftTable {
  if (!isPlain(table)) return table;
  const sets = table.sets.map((set) => ({
    ...set,
    elements: set.elements.filter((e) => addressesOf(e.key).every((a) => addresses.has(a))),
  }));
  const named = new Map(table.chains.map((c) => [c.name, c]));
  const seen = new Set<NftChain>(table.chains.filter((c) => c.base !== undefined || c.unread === true));
  const queue = [...seen];
  const lead = (name: string): void => {
    const chain = named.get(name);
    if (chain === undefined || seen.has(chain)) return;
    seen.add(chain);
    queue.push(chain);
  };
  for (const { elements } of sets)
    for (const { data } of elements) if (data !== undefined && isVerdict(data) && "chain" in data) lead(data.chain);
  for (let chain = queue.pop(); chain !== undefined; chain = queue.pop())
    for (const { statements } of chain.rules) for (const name of chainsIn(statements)) lead(name);
  return { ...table, sets, chains: table.chains.filter((c) => seen.has(c)) };
}

/** Chains that statements name, however deep. */
function* chainsIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  const { kind, chain } = value as { readonly kind?: unknown; readonly chain?: unknown };
  if ((kind === "jump" || kind === "goto") && typeof chain === "string") yield chain;
  for (const one of Object.values(value)) yield* chainsIn(one);
}
