import type { NetworksOfText, UnreadTable, World } from "../../model/index.ts";
import { ipv4Of, lengthOfMask } from "../../net/index.ts";
import { Spans } from "./spans.ts";

/** What a World says of addresses: where it tells them apart, and the tables that are known as text. */
export interface AddressSpans {
  readonly spans: Spans;
  readonly tables: readonly UnreadTable[];
  /** Names of Services that objects know. */
  readonly services: ReadonlySet<string>;
}

/** Smaller numbers are ports, marks and lengths, and no address that anybody has. */
const LEAST = 2 ** 24;
/** What reckons an address from another, or hashes it: nothing is said of two of them by what is said of one. */
const RECKONS: ReadonlySet<unknown> = new Set([
  "netmap",
  "jhash",
  "symhash",
  "clusterip",
  "hmark",
  "u32",
  "bpf",
  "connlimit",
  "hashlimit",
  "cluster",
]);
/** Where something was read is not looked at by a walk. */
const UNSAID: ReadonlySet<string> = new Set(["origin", "origins"]);

class Beyond extends Error {}

/**
 * Every address and network that stands anywhere in a World but in the lines of tables known as text. Each number that could be an address is
 * taken for one: more is told apart than need be, never less. Undefined where something in it looks at addresses otherwise. `networksOf`: those that count
 * of a table known as text.
 */
export function addressSpansOf(
  world: World,
  networksOf: (table: UnreadTable) => Pick<NetworksOfText, "networks" | "irregular"> = (table) => table.networks!(),
): AddressSpans | undefined {
  const spans = new Spans();
  const tables: UnreadTable[] = [];
  const seen = new Set<object>();
  const waiting: unknown[] = [world];
  try {
    for (let value = waiting.pop(); value !== undefined || waiting.length > 0; value = waiting.pop())
      if (typeof value === "object" && value !== null) {
        if (seen.has(value)) continue;
        seen.add(value);
        look(value, spans, tables, waiting);
      } else lookAt(value, spans);
  } catch (beyond) {
    if (beyond instanceof Beyond) return undefined;
    throw beyond;
  }
  for (const table of tables) {
    const { networks, irregular } = networksOf(table);
    if (irregular) return undefined;
    for (const [first, last] of networks) spans.network(first, last);
  }
  const services = new Set(world.kubernetes.services.map((s) => `${s.namespace}/${s.name}`));
  for (const { namespace, service } of world.kubernetes.endpoints) services.add(`${namespace}/${service}`);
  return { spans, tables, services };
}

function lookAt(value: unknown, spans: Spans): void {
  if (typeof value === "number") {
    if (Number.isInteger(value) && value >= LEAST && value < 2 ** 32) spans.cut(value, value);
  } else if (typeof value === "string") {
    if (value.includes(".")) spans.text(value);
  } else if (typeof value === "function") throw new Beyond();
}

function look(value: object, spans: Spans, tables: UnreadTable[], waiting: unknown[]): void {
  if (Array.isArray(value) || value instanceof Set) {
    for (const one of value) waiting.push(one);
    return;
  }
  if (value instanceof Map) {
    for (const [key, one] of value) waiting.push(key, one);
    return;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    const { unread } = value as { readonly unread?: UnreadTable };
    if (unread?.networks === undefined) throw new Beyond();
    tables.push(unread);
    return;
  }
  network(value as Readonly<Record<string, unknown>>, spans);
  for (const [key, one] of Object.entries(value)) if (!UNSAID.has(key)) waiting.push(one);
}

const isMany = (n: unknown): n is number => typeof n === "number" && n >= LEAST && n < 2 ** 32;
const hasSome = (list: unknown): boolean => Array.isArray(list) && list.length > 0;
const ALL_ONES = 2 ** 32 - 1;

/** Networks, by whatever name a record has their address; and what tells addresses apart otherwise. */
function network(value: Readonly<Record<string, unknown>>, spans: Spans): void {
  const { kind, name, length, mask, netmask, from, to } = value;
  if (RECKONS.has(kind) || hasSome(value.nativeNft) || hasSome(value.nft)) throw new Beyond();
  // Clients of one network are taken for one; a set lays its mask over every address.
  if (kind === "recent" && mask !== undefined && mask !== ALL_ONES) throw new Beyond();
  if ((netmask !== undefined && netmask !== ALL_ONES) || name === "netmask" || name === "bitmask") throw new Beyond();
  // A range of translations is drawn from by a hash of the packet's addresses.
  if (isMany(from) && isMany(to) && from !== to) throw new Beyond();
  const isNetwork = typeof length === "number" && length <= 32;
  const bits = typeof mask === "number" ? lengthOfMask(ipv4Of(mask >>> 0)) : undefined;
  if ("address" in value && typeof mask === "number" && bits === undefined) throw new Beyond();
  for (const one of Object.values(value)) {
    if (typeof one !== "number" || one >= 2 ** 32) continue;
    if (isNetwork) spans.prefix(one, length);
    if (bits !== undefined && one !== mask) spans.prefix(one, bits);
  }
}
