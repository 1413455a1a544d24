import {
  type Address,
  type Family,
  familyOf,
  formatAddress,
  groupOf,
  groupsOf,
  type Ipv4,
  type Ipv6,
  ipv4Of,
  ipv6Of,
  isIpv4,
  LOOPBACK6,
  parseAddress,
  parseIpv4,
  uint32Of,
  unspecified,
} from "./address.ts";

/** A network: the address may carry host bits where the text did (`inet 10.0.0.5/24`); `networkOf` clears them. */
export interface Prefix {
  readonly address: Address;
  readonly length: number;
}

export const maxLength = (address: Address): number => (isIpv4(address) ? 32 : 128);
export const hostPrefix = (address: Address): Prefix => ({ address, length: maxLength(address) });
export const isHost = (p: Prefix): boolean => p.length === maxLength(p.address);

export const maskOf = (length: number): Ipv4 => ipv4Of(length <= 0 ? 0 : (0xffffffff << (32 - length)) >>> 0);

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const maskGroup = (length: number, index: number): number => {
  const bits = Math.min(16, Math.max(0, length - index * 16));
  return (0xffff << (16 - bits)) & 0xffff;
};
const maskOf6 = (length: number): Ipv6 => ipv6Of(EIGHT.map((index) => maskGroup(length, index)));

/** The prefix length of a contiguous netmask, or undefined. */
export function lengthOfMask(mask: Address): number | undefined {
  const length = isIpv4(mask)
    ? Math.clz32(~uint32Of(mask))
    : groupsOf(mask).reduce((ones, group, index) => (ones === index * 16 ? ones + onesOf(group) : ones), 0);
  return maskFor(mask, length) === mask ? length : undefined;
}
const onesOf = (group: number): number => Math.clz32(~(group << 16));

export function applyMask(address: Address, mask: Address): Address {
  if (isIpv4(address)) return isIpv4(mask) ? ipv4Of((uint32Of(address) & uint32Of(mask)) >>> 0) : address;
  if (isIpv4(mask)) return address;
  return ipv6Of(EIGHT.map((index) => groupOf(address, index) & groupOf(mask, index)));
}

export const maskFor = (address: Address, length: number): Address =>
  isIpv4(address) ? maskOf(length) : maskOf6(length);

export const networkOf = (p: Prefix): Prefix => ({
  address: applyMask(p.address, maskFor(p.address, p.length)),
  length: p.length,
});

export const anyPrefix = (family: Family): Prefix => ({ address: unspecified(family), length: 0 });
export const loopbackPrefix = (family: Family): Prefix =>
  family === 4 ? { address: ipv4Of(0x7f000000), length: 8 } : hostPrefix(LOOPBACK6);
export const isHostMask = (mask: Address): boolean => mask === maskFor(mask, maxLength(mask));

/** The last address of a network: in IPv4 the one that all its hosts hear. */
export function lastOf({ address, length }: Prefix): Address {
  if (isIpv4(address)) return ipv4Of((uint32Of(address) | ~uint32Of(maskOf(length))) >>> 0);
  return ipv6Of(EIGHT.map((index) => groupOf(address, index) | (~maskGroup(length, index) & 0xffff)));
}

/** `bits` where the mask has ones, `address` elsewhere. */
export function underMask(address: Address, bits: Address, mask: Address): Address {
  if (isIpv4(address) && isIpv4(bits) && isIpv4(mask)) {
    const m = uint32Of(mask);
    return ipv4Of(((uint32Of(address) & ~m) | (uint32Of(bits) & m)) >>> 0);
  }
  if (isIpv4(address) || isIpv4(bits) || isIpv4(mask)) return bits;
  const under = (i: number): number =>
    (groupOf(address, i) & ~groupOf(mask, i)) | (groupOf(bits, i) & groupOf(mask, i));
  return ipv6Of(EIGHT.map(under));
}

/** Whether two addresses of one family are equal where the mask has ones. */
export function equalUnder(mask: Address, a: Address, b: Address): boolean {
  if (isIpv4(a)) return isIpv4(b) && isIpv4(mask) && ((uint32Of(a) ^ uint32Of(b)) & uint32Of(mask)) === 0;
  if (isIpv4(b) || isIpv4(mask)) return false;
  for (let i = 0; i < 8; i++) if (((groupOf(a, i) ^ groupOf(b, i)) & groupOf(mask, i)) !== 0) return false;
  return true;
}

export function contains(p: Prefix, address: Address): boolean {
  if (isIpv4(p.address)) {
    if (!isIpv4(address)) return false;
    return p.length === 0 || (uint32Of(p.address) ^ uint32Of(address)) >>> (32 - p.length) === 0;
  }
  if (isIpv4(address)) return false;
  for (let index = 0, left = p.length; left > 0; index++, left -= 16) {
    const differing = groupOf(p.address, index) ^ groupOf(address, index);
    if (differing >>> Math.max(0, 16 - left) !== 0) return false;
  }
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
  const length = mask === undefined || !isIpv4(address) ? undefined : lengthOfMask(mask);
  return length === undefined ? undefined : { address, length };
}

export const formatPrefix = (p: Prefix): string => `${formatAddress(p.address)}/${p.length}`;
