import type { SetEntry, SetPart } from "../../model/index.ts";
import { type Address, ipv4Of, isIpv4, lastOf, lowBitsOf, networkOf } from "../../net/index.ts";
import { formatPart } from "./element.ts";

interface Interval {
  readonly from: number;
  readonly to: number;
}

const spanOf = (from: Address, to: Address): Interval => ({ from: lowBitsOf(from), to: lowBitsOf(to) });

/** The numbers a part covers where several may be written at once, and what else must be equal; otherwise text to compare. */
function extentOf(part: SetPart, network: boolean): { readonly key: string; readonly interval?: Interval } {
  if (part.kind === "port") return { key: `port ${part.protocol}`, interval: { from: part.from, to: part.to } };
  if (!network && part.kind === "range" && isIpv4(part.from)) {
    return { key: "ip", interval: spanOf(part.from, part.to) };
  }
  if (!network && part.kind === "address" && isIpv4(part.from)) {
    const network = { address: part.from, length: part.length };
    return { key: "ip", interval: spanOf(networkOf(network).address, lastOf(network)) };
  }
  return { key: formatPart(part) };
}

function narrowed(part: SetPart, interval: Interval): SetPart {
  if (part.kind === "port") return { ...part, ...interval };
  const [from, to] = [ipv4Of(interval.from), ipv4Of(interval.to)];
  return from === to ? { kind: "address", from, length: 32 } : { kind: "range", from, to };
}

/**
 * What is left of an entry when another is taken out: undefined if they share nothing. Addresses and ports written as
 * ranges are cut; networks of the hash:net types are elements of their own and only equal ones meet.
 */
export function without(entry: SetEntry, hole: SetEntry, networks: readonly boolean[]): SetEntry[] | undefined {
  if (entry.parts.length !== hole.parts.length) return undefined;
  const pairs = entry.parts.map((part, i) => {
    const network = networks[i] ?? false;
    return { mine: extentOf(part, network), theirs: extentOf(hole.parts[i]!, network) };
  });
  for (const { mine, theirs } of pairs) {
    if (mine.key !== theirs.key) return undefined;
    const [a, b] = [mine.interval, theirs.interval];
    if (a !== undefined && b !== undefined && (a.to < b.from || b.to < a.from)) return undefined;
  }
  const left: SetEntry[] = [];
  const parts = [...entry.parts];
  for (const [i, { mine, theirs }] of pairs.entries()) {
    const [a, b] = [mine.interval, theirs.interval];
    if (a === undefined || b === undefined) continue;
    const keep = (interval: Interval): void => {
      left.push({ ...entry, parts: parts.map((p, j) => (j === i ? narrowed(p, interval) : p)) });
    };
    if (a.from < b.from) keep({ from: a.from, to: b.from - 1 });
    if (b.to < a.to) keep({ from: b.to + 1, to: a.to });
    parts[i] = narrowed(parts[i]!, { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) });
  }
  return left;
}

/** How many elements the kernel would store for this entry. */
export function sizeOf(entry: SetEntry, networks: readonly boolean[]): number {
  let size = 1;
  for (const [i, part] of entry.parts.entries()) {
    const { interval } = extentOf(part, networks[i] ?? false);
    if (interval !== undefined) size *= interval.to - interval.from + 1;
  }
  return size;
}
