import { type Address, ANY4, type Ipv4, type Ipv6 } from "./address.ts";

/** What the compiler must refuse to do with an address; `tsc -b` fails where it no longer does. */
declare const a: Address;
declare const b: Address;
declare const v4: Ipv4;
declare const v6: Ipv6;
declare const maybe: Address | undefined;

// By value, in either family.
export const allowed = [a === b, maybe === b, a === ANY4, new Set([a]).has(b), new Map([[a, 1]]).get(b)];

// @ts-expect-error 0 is not "none"
export const isZero = a === 0;
// @ts-expect-error nor where there may be none
export const isNone = maybe === 0;
// @ts-expect-error an address of one family is never one of the other
export const mixed = v4 === v6;
// @ts-expect-error a number is not an address
export const fromNumber: Address = 0x0a000001;
// @ts-expect-error nor is a text
export const fromText: Address = "10.0.0.1";
// @ts-expect-error nor four numbers
export const fromWords: Address = [0, 0, 0, 1];
// @ts-expect-error an address is not a number
export const toNumber: number = v4;
// @ts-expect-error
export const sum = v4 + 1;
// @ts-expect-error
export const masked = v4 & 255;
// @ts-expect-error order is compareAddress()'s
export const less = a < b;
// @ts-expect-error text is formatAddress()'s
export const text = `${a}`;
// @ts-expect-error
export const index = (record: Record<string, number>) => record[a];
