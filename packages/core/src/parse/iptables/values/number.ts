import type { PortRange } from "../../../net/index.ts";
import { single, type Value } from "./value.ts";

export const U8 = 0xff;
export const U16 = 0xffff;
export const U32 = 0xffffffff;
const U64 = (1n << 64n) - 1n;

/** As strtoul(3) with base 0: decimal, 0x… and 0… (octal). No sign, no blanks. */
export function parseUnsigned(text: string, max: number, min = 0): number | undefined {
  const length = text.length;
  if (length === 0 || length > 24) return undefined;
  let value = 0;
  let i = 0;
  let base = 10;
  if (text.charCodeAt(0) === 48 && length > 1) {
    const x = text.charCodeAt(1) | 32;
    base = x === 120 ? 16 : 8;
    i = base === 16 ? 2 : 1;
    if (i === length) return undefined;
  }
  for (; i < length; i++) {
    const c = text.charCodeAt(i);
    const lower = c | 32;
    const digit = c >= 48 && c <= 57 ? c - 48 : lower >= 97 && lower <= 102 ? lower - 87 : 99;
    if (digit >= base) return undefined;
    value = value * base + digit;
    if (value > max) return undefined;
  }
  return value < min ? undefined : value;
}

/** A 64-bit number as decimal text: JavaScript's numbers end at 2⁵³. */
export function parseUnsigned64(text: string): string | undefined {
  if (!/^(?:0[xX][0-9a-fA-F]{1,16}|0[0-7]{1,22}|[0-9]{1,20})$/.test(text)) return undefined;
  const value = BigInt(/^0[0-7]/.test(text) ? `0o${text.slice(1)}` : text);
  return value <= U64 ? value.toString() : undefined;
}

export const hex = (value: number): string => `0x${(value >>> 0).toString(16)}`;
export const hexPadded = (value: number, digits: number): string =>
  `0x${(value >>> 0).toString(16).padStart(digits, "0")}`;

export const unsigned = (max: number, min = 0): Value<number> =>
  single(`a number from ${min} to ${max}`, (word) => parseUnsigned(word, max, min));

export const unsignedHex = (max: number, digits = 0, min = 0): Value<number> =>
  single(
    `a number from ${min} to ${max}`,
    (word) => parseUnsigned(word, max, min),
    (value) => hexPadded(value, digits),
  );

export const unsigned64: Value<string> = single("a number below 2⁶⁴", parseUnsigned64);

/** `3`, `3:5`, `:5`, `3:`, `:`. */
export function parseRange(
  text: string,
  max: number,
  one: (text: string) => number | undefined,
): PortRange | undefined {
  const colon = text.indexOf(":");
  if (colon < 0) {
    const value = one(text);
    return value === undefined ? undefined : { from: value, to: value };
  }
  const low = text.slice(0, colon);
  const high = text.slice(colon + 1);
  const from = low === "" ? 0 : one(low);
  const to = high === "" ? max : one(high);
  return from === undefined || to === undefined || from > to ? undefined : { from, to };
}

export const formatRange = (range: PortRange): string =>
  range.from === range.to ? String(range.from) : `${range.from}:${range.to}`;

export const unsignedRange = (max: number): Value<PortRange> =>
  single(
    `a number up to ${max} or a range FROM:TO`,
    (word) => parseRange(word, max, (text) => parseUnsigned(text, max)),
    formatRange,
  );

export interface Masked {
  readonly value: number;
  readonly mask: number;
}

/** `VALUE[/MASK]`, as xtables' XTTYPE_MARKMASK32. */
export function parseMasked(text: string, max = U32): Masked | undefined {
  const slash = text.indexOf("/");
  const value = parseUnsigned(slash < 0 ? text : text.slice(0, slash), max);
  const mask = slash < 0 ? max : parseUnsigned(text.slice(slash + 1), max);
  return value === undefined || mask === undefined ? undefined : { value, mask };
}

/** Printed as `0x4000/0x4000`, and without the mask where it is all ones. */
export const masked: Value<Masked> = single(
  "VALUE or VALUE/MASK, each below 2³²",
  (word) => parseMasked(word),
  (m) => (m.mask === U32 ? hex(m.value) : `${hex(m.value)}/${hex(m.mask)}`),
);

/** Printed with its mask always. */
export const maskedAlways: Value<Masked> = { ...masked, print: (m) => [`${hex(m.value)}/${hex(m.mask)}`] };
