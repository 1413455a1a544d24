/**
 * An address is opaque: at run time IPv4 is a uint32 in host order and IPv6 a string of eight UTF-16 code units, one per
 * group, so that `===`, map keys and sets are right by value in both families and an IPv4 address costs no object. It is
 * declared a symbol because of what TypeScript refuses on symbols and an address must not do: be compared to a number, be
 * added, ordered with `<`, used as an index or printed by a template (`formatAddress` prints). "No address" is `undefined`;
 * 0.0.0.0 and :: are `ANY4` and `ANY6`. Numbers are taken out and put in here, by `uint32Of`, `ipv4Of` and the like.
 */
declare const family: unique symbol;
export type Ipv4 = symbol & { readonly [family]: 4 };
export type Ipv6 = symbol & { readonly [family]: 6 };
export type Address = Ipv4 | Ipv6;
export type Family = 4 | 6;

export const isIpv4 = (address: Address): address is Ipv4 => typeof (address as unknown) === "number";
export const familyOf = (address: Address): Family => (isIpv4(address) ? 4 : 6);

/** Whether a value of unknown making is an address at run time. */
export const isAddress = (value: unknown): value is Address =>
  typeof value === "number" ? value === value >>> 0 : typeof value === "string" && value.length === 8;

export const ipv4Of = (uint32: number): Ipv4 => uint32 as unknown as Ipv4;
export const uint32Of = (address: Ipv4): number => address as unknown as number;
const codeUnits = (address: Ipv6): string => address as unknown as string;
export const ipv6Of = (groups: readonly number[]): Ipv6 => String.fromCharCode(...groups) as unknown as Ipv6;
/** One of the eight 16-bit groups of an IPv6 address. */
export const groupOf = (address: Ipv6, index: number): number => codeUnits(address).charCodeAt(index);
export const groupsOf = (address: Ipv6): readonly number[] =>
  Array.from({ length: 8 }, (_, index) => groupOf(address, index));

/** What tells one from another in a key made of text, where nobody reads it. */
export const addressKey = (address: Address): string | number => address as unknown as string | number;

/** The low 32 bits: of an IPv4 address all it has. */
export const lowBitsOf = (address: Address): number =>
  isIpv4(address) ? uint32Of(address) : groupOf(address, 6) * 0x10000 + groupOf(address, 7);

/** `10.0.0.1:80`, `[fd00::1]:80`. */
export const formatEndpoint = (address: Address, port: number | string): string =>
  isIpv4(address) ? `${formatAddress(address)}:${port}` : `[${formatAddress(address)}]:${port}`;

/** In network order. */
export const bytesOf = (address: Address): readonly number[] =>
  isIpv4(address)
    ? [24, 16, 8, 0].map((shift) => (uint32Of(address) >>> shift) & 255)
    : groupsOf(address).flatMap((group) => [group >>> 8, group & 255]);
export const ipv4At = (bytes: ArrayLike<number>, at = 0): Ipv4 =>
  ipv4Of(((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0);
export const ipv6At = (bytes: ArrayLike<number>, at = 0): Ipv6 =>
  ipv6Of([0, 2, 4, 6, 8, 10, 12, 14].map((i) => bytes[at + i]! * 256 + bytes[at + i + 1]!));

export const ANY4: Ipv4 = ipv4Of(0);
export const ANY6: Ipv6 = ipv6Of([0, 0, 0, 0, 0, 0, 0, 0]);
export const unspecified = (family: Family): Address => (family === 4 ? ANY4 : ANY6);
export const isUnspecified = (address: Address): boolean => address === ANY4 || address === ANY6;

export const BROADCAST4: Ipv4 = ipv4Of(0xffffffff);
export const LOOPBACK4: Ipv4 = ipv4Of(0x7f000001);
export const LOOPBACK6: Ipv6 = ipv6Of([0, 0, 0, 0, 0, 0, 0, 1]);
/** Follows ipv4_is_loopback() (127.0.0.0/8) and ipv6_addr_loopback() (::1). */
export const isLoopback = (address: Address): boolean =>
  isIpv4(address) ? uint32Of(address) >>> 24 === 127 : address === LOOPBACK6;
export const isMulticast = (address: Address): boolean =>
  isIpv4(address) ? uint32Of(address) >>> 28 === 0xe : groupOf(address, 0) >>> 8 === 0xff;
/** fc00::/7 (RFC 4193): routed within a site at most. */
export const isUniqueLocal = (address: Address): boolean =>
  !isIpv4(address) && (groupOf(address, 0) & 0xfe00) === 0xfc00;
/** 2000::/3: what the Internet routes. */
export const isGlobalUnicast = (address: Address): boolean =>
  !isIpv4(address) && (groupOf(address, 0) & 0xe000) === 0x2000;
export const isLinkLocal = (address: Address): boolean =>
  isIpv4(address) ? uint32Of(address) >>> 16 === 0xa9fe : groupOf(address, 0) >>> 6 === 0xfe80 >>> 6;

/** The address that many further on, round the end of the address space; `by` may be negative. */
export function offset<A extends Address>(address: A, by: number): A;
export function offset(address: Address, by: number): Address {
  if (isIpv4(address)) return ipv4Of((uint32Of(address) + by) >>> 0);
  const groups = [...groupsOf(address)];
  for (let i = 7, carry = by; i >= 0 && carry !== 0; i--) {
    const sum = groups[i]! + carry;
    groups[i] = sum & 0xffff;
    carry = Math.floor(sum / 0x10000);
  }
  return ipv6Of(groups);
}

/** Dotted quad only, as the kernel's tools print it: no leading zeros, no short forms. */
export function parseIpv4(text: string, from = 0, to = text.length): Ipv4 | undefined {
  let value = 0;
  let octet = 0;
  let digits = 0;
  let dots = 0;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    if (c === 46) {
      if (digits === 0 || ++dots > 3) return undefined;
      value = value * 256 + octet;
      octet = 0;
      digits = 0;
    } else if (c >= 48 && c <= 57) {
      if (digits > 0 && octet === 0) return undefined;
      octet = octet * 10 + c - 48;
      if (++digits > 3 || octet > 255) return undefined;
    } else return undefined;
  }
  return dots === 3 && digits > 0 ? ipv4Of(value * 256 + octet) : undefined;
}

export function parseIpv6(text: string): Ipv6 | undefined {
  let body = text;
  const groups: number[] = [];
  let gap = -1;
  const lastColon = body.lastIndexOf(":");
  if (lastColon < 0 || body.length > 45) return undefined;
  let tail: number[] = [];
  if (body.indexOf(".", lastColon) > 0) {
    const v4 = parseIpv4(body.slice(lastColon + 1));
    if (v4 === undefined) return undefined;
    tail = [uint32Of(v4) >>> 16, uint32Of(v4) & 0xffff];
    body = body.slice(0, lastColon + 1);
    if (body.endsWith(":") && !body.endsWith("::")) body = body.slice(0, -1);
  }
  const halves = body.split("::");
  if (halves.length > 2) return undefined;
  for (const [half, part] of halves.entries()) {
    if (half === 1) gap = groups.length;
    if (part === "") {
      if (halves.length === 1) return undefined;
      continue;
    }
    for (const group of part.split(":")) {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
      groups.push(Number.parseInt(group, 16));
    }
  }
  groups.push(...tail);
  if (gap >= 0) {
    if (groups.length > 7) return undefined;
    groups.splice(gap, 0, ...new Array<number>(8 - groups.length).fill(0));
  }
  return groups.length === 8 ? ipv6Of(groups) : undefined;
}

export function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

export function formatIpv4(address: Ipv4): string {
  const a = uint32Of(address);
  return `${a >>> 24}.${(a >>> 16) & 255}.${(a >>> 8) & 255}.${a & 255}`;
}

/** RFC 5952: the longest run of zero groups is folded, IPv4-mapped addresses keep their dots, as inet_ntop(3). */
export function formatIpv6(a: Ipv6): string {
  const groups = groupsOf(a);
  const last = formatIpv4(ipv4Of(groups[6]! * 0x10000 + groups[7]!));
  const zeros = groups.findIndex((group) => group !== 0);
  if (zeros === 5 && groups[5] === 0xffff) return `::ffff:${last}`;
  if (zeros === 6) return `::${last}`;
  let best = -1;
  let bestLength = 1;
  for (let i = 0; i < 8; i++) {
    let n = 0;
    while (i + n < 8 && groups[i + n] === 0) n++;
    if (n > bestLength) {
      best = i;
      bestLength = n;
    }
    if (n > 0) i += n - 1;
  }
  const hex = groups.map((g) => g.toString(16));
  if (best < 0) return hex.join(":");
  return `${hex.slice(0, best).join(":")}::${hex.slice(best + bestLength).join(":")}`;
}

export const formatAddress = (a: Address): string => (isIpv4(a) ? formatIpv4(a) : formatIpv6(a));

/** IPv4 before IPv6, each in the order of its bits. */
export function compareAddress(a: Address, b: Address): number {
  if (isIpv4(a)) return isIpv4(b) ? uint32Of(a) - uint32Of(b) : -1;
  if (isIpv4(b)) return 1;
  return a === b ? 0 : codeUnits(a) < codeUnits(b) ? -1 : 1;
}
