import { type Address, familyOf, formatAddress, type Ipv4, parseAddress, parseIpv4 } from "./address.ts";

/** A network: the address may carry host bits where the text did (`inet 10.0.0.5/24`); `networkOf` clears them. */
export interface Prefix {
  readonly address: Address;
  readonly length: number;
}

export const maxLength = (address: Address): number => (typeof address === "number" ? 32 : 128);
export const hostPrefix = (address: Address): Prefix => ({ address, length: maxLength(address) });
export const isHost = (p: Prefix): boolean => p.length === maxLength(p.address);

export const maskOf = (length: number): Ipv4 => (length <= 0 ? 0 : (0xffffffff << (32 - length)) >>> 0);

/** The mask of an IPv6 prefix, word by word. */
export const maskOf6 = (length: number): readonly [number, number, number, number] => [
  maskOf(Math.min(32, length)),
  maskOf(Math.min(32, Math.max(0, length - 32))),
  maskOf(Math.min(32, Math.max(0, length - 64))),
  maskOf(Math.min(32, Math.max(0, length - 96))),
];

/** The prefix length of a contiguous netmask, or undefined. */
export function lengthOfMask(mask: Address): number | undefined {
  const words = typeof mask === "number" ? [mask] : mask;
  let length = 0;
  let ended = false;
  for (const word of words) {
    const ones = Math.clz32(~word);
    if (ended ? word !== 0 : maskOf(ones) !== word) return undefined;
    length += ones;
    if (ones < 32) ended = true;
  }
  return length;
}

export function applyMask(address: Address, mask: Address): Address {
  if (typeof address === "number") return typeof mask === "number" ? (address & mask) >>> 0 : address;
  if (typeof mask === "number") return address;
  return [
    (address[0] & mask[0]) >>> 0,
    (address[1] & mask[1]) >>> 0,
    (address[2] & mask[2]) >>> 0,
    (address[3] & mask[3]) >>> 0,
  ];
}

export const maskFor = (address: Address, length: number): Address =>
  typeof address === "number" ? maskOf(length) : maskOf6(length);

export const networkOf = (p: Prefix): Prefix => ({
  address: applyMask(p.address, maskFor(p.address, p.length)),
  length: p.length,
});

export function contains(p: Prefix, address: Address): boolean {
  if (typeof p.address === "number") {
    return typeof address === "number" && (p.length === 0 || (p.address ^ address) >>> (32 - p.length) === 0);
  }
  if (typeof address === "number") return false;
  const mask = maskOf6(p.length);
  for (let i = 0; i < 4; i++) if (((p.address[i]! ^ address[i]!) & mask[i]!) !== 0) return false;
  return true;
}

export const containsPrefix = (outer: Prefix, inner: Prefix): boolean =>
  inner.length >= outer.length && contains(outer, inner.address);

export const samePrefix = (a: Prefix, b: Prefix): boolean =>
  a.length === b.length && containsPrefix(a, b) && familyOf(a.address) === familyOf(b.address);

/** `10.0.0.0/8`, `10.0.0.1` (a host), `10.0.0.0/255.0.0.0`, `2001:db8::/32`. */
export function parsePrefix(text: string): Prefix | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) {
    const address = parseAddress(text);
    return address === undefined ? undefined : hostPrefix(address);
  }
  const address = parseAddress(text.slice(0, slash));
  if (address === undefined) return undefined;
  const rest = text.slice(slash + 1);
  if (/^\d{1,3}$/.test(rest)) {
    const length = Number(rest);
    return length <= maxLength(address) ? { address, length } : undefined;
  }
  const mask = parseIpv4(rest);
  const length = mask === undefined || typeof address !== "number" ? undefined : lengthOfMask(mask);
  return length === undefined ? undefined : { address, length };
}

export const formatPrefix = (p: Prefix): string => `${formatAddress(p.address)}/${p.length}`;
