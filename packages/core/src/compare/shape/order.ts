import { append } from "../../net/append.ts";
import { commute } from "./commute.ts";
import type { Item } from "./item.ts";

/** Chains up to this length are ordered exactly; longer ones by the address or port that tells most of their rules apart. */
const EXACT = 48;

/**
 * Items in an order that depends on nothing but which of them may change places: of all the orders that mean the same, the
 * one whose keys come first.
 */
export function inOneOrder(items: readonly Item[]): readonly Item[] {
  if (items.length < 2) return items;
  return items.length <= EXACT ? exactly(items) : byBuckets(items);
}

/** Whether two items of a chain may change places. */
export const mayChange = (a: Item, b: Item): boolean =>
  sameList(a, b) || commute(a.rules[0]!, b.rules[0]!, a.effect === b.effect && a.rules.length === b.rules.length);

/**
 * Session affinity as kube-proxy writes it: one rule an endpoint, each asking its own list. Their order counts only for a
 * client that is in two lists, which nothing in a dump shows.
 */
function sameList(a: Item, b: Item): boolean {
  const [x, y] = [checks(a), checks(b)];
  return x !== undefined && x === y;
}

function checks(item: Item): string | undefined {
  const [rule] = item.rules;
  const [only] = rule!.matches.filter((m) => m.kind !== "comment");
  if (rule!.matches.filter((m) => m.kind !== "comment").length !== 1 || only?.kind !== "recent") return undefined;
  if (only.command === "set" || rule!.target.kind !== "jump") return undefined;
  return `${only.command} ${only.seconds ?? ""} ${only.side}`;
}

function exactly(items: readonly Item[]): readonly Item[] {
  const left = [...items];
  const out: Item[] = [];
  while (left.length > 0) {
    let best = 0;
    for (let i = 1; i < left.length; i++) {
      if (left[i]!.key >= left[best]!.key) continue;
      let free = true;
      for (let j = 0; j < i && free; j++) free = mayChange(left[j]!, left[i]!);
      if (free) best = i;
    }
    append(out, left.splice(best, 1));
  }
  return out;
}

const DIMENSIONS: readonly RegExp[] = [
  /(?:^| )dst [\d.a-f:]+\/255\.255\.255\.255/,
  /(?:^| )dport \d+-\d+/,
  /(?:^| )src [\d.a-f:]+\/255\.255\.255\.255/,
];

/** What tells an item apart from others for certain: one address, or one protocol and port. */
function bucketOf(item: Item, dimension: RegExp): string | undefined {
  const found = dimension.exec(item.match)?.[0].trim();
  if (found === undefined || item.match.includes(`!${found}`)) return undefined;
  if (!found.startsWith("dport")) return found;
  const [, from, to] = /(\d+)-(\d+)/.exec(found)!;
  const protocol = /(?:^| )proto \d+/.exec(item.match)?.[0];
  return from === to && protocol !== undefined ? `${protocol} ${found}` : undefined;
}

/** Between items that nothing tells apart, those that something does are put in order; each bucket keeps its own. */
function byBuckets(items: readonly Item[]): readonly Item[] {
  const counts = DIMENSIONS.map((d) => items.filter((i) => bucketOf(i, d) !== undefined).length);
  const dimension = DIMENSIONS[counts.indexOf(Math.max(...counts))]!;
  const out: Item[] = [];
  let segment = new Map<string, Item[]>();
  const flush = (): void => {
    for (const key of [...segment.keys()].sort()) append(out, exactly(segment.get(key)!));
    segment = new Map();
  };
  for (const item of items) {
    const bucket = bucketOf(item, dimension);
    if (bucket === undefined || item.rules[0]!.matches.some((m) => m.kind === "limit" || m.kind === "recent")) {
      flush();
      out.push(item);
      continue;
    }
    const known = segment.get(bucket);
    if (known === undefined) segment.set(bucket, [item]);
    else known.push(item);
  }
  flush();
  return out;
}
