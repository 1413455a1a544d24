import type { NftValue } from "../../model/index.ts";
import { parseAddress } from "../../net/index.ts";

const MAC = /^[0-9a-fA-F]{1,2}(?::[0-9a-fA-F]{1,2}){5}$/;
const NUMBER = /^(?:0x[0-9a-fA-F]+|\d+)$/;
const TIME = /^(?:\d+(?:ms|[smhdw]))+$/;

/** One constant without range or prefix. */
export function atom(text: string): NftValue {
  if (NUMBER.test(text)) {
    const value = Number(text);
    return Number.isSafeInteger(value) ? { kind: "number", value } : { kind: "big", value: BigInt(text) };
  }
  if (MAC.test(text)) return { kind: "mac", value: text.toLowerCase() };
  const address = /[.:]/.test(text) && text.length < 50 ? parseAddress(text) : undefined;
  return address === undefined ? { kind: "symbol", text } : { kind: "address", value: address };
}

const known = (value: NftValue): boolean => value.kind !== "symbol";

/**
 * A word as a constant: `10.0.0.0/24`, `1024-65535`, `fd00::1-fd00::9`, `ssh`. A dash between two things that are no constants is
 * part of a name (`admin-prohibited`).
 */
export function constantOf(text: string): NftValue {
  if (text === "*") return { kind: "wildcard" };
  const dash = text.indexOf("-");
  if (dash > 0) {
    const [from, to] = [constantOf(text.slice(0, dash)), constantOf(text.slice(dash + 1))];
    if (known(from) && known(to)) return { kind: "range", from, to };
  }
  const slash = text.lastIndexOf("/");
  if (slash > 0) {
    const value = atom(text.slice(0, slash));
    const length = text.slice(slash + 1);
    if (known(value) && /^\d{1,3}$/.test(length)) return { kind: "prefix", value, length: Number(length) };
  }
  return atom(text);
}

const UNITS = new Map([
  ["ms", 0.001],
  ["s", 1],
  ["m", 60],
  ["h", 3600],
  ["d", 86_400],
  ["w", 604_800],
]);

/** `1h30m`, `250ms`, `30`: seconds. */
export function secondsOf(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  if (!TIME.test(text) || text.length > 60) return undefined;
  let seconds = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhdw])/g)) seconds += Number(count) * UNITS.get(unit!)!;
  return seconds;
}

/** 250ms, 1m40s: as nft prints a time. */
export function printSeconds(seconds: number): string {
  let left = Math.round(seconds * 1000);
  if (left === 0) return "0s";
  let text = "";
  for (const [unit, size] of [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1000],
    ["ms", 1],
  ] as const) {
    const count = Math.floor(left / size);
    if (count > 0) text += `${count}${unit}`;
    left -= count * size;
  }
  return text;
}
