/**
 * Addresses. IPv4 is a uint32 in host order, IPv6 four of them; the JavaScript type tells the family apart,
 * so an address costs no object in the IPv4 case and comparing is comparing numbers.
 */
export type Ipv4 = number;
export type Ipv6 = readonly [number, number, number, number];
export type Address = Ipv4 | Ipv6;
export type Family = 4 | 6;

export const familyOf = (address: Address): Family => (typeof address === "number" ? 4 : 6);
export const isIpv4 = (address: Address): address is Ipv4 => typeof address === "number";

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
  return dots === 3 && digits > 0 ? value * 256 + octet : undefined;
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
    tail = [v4 >>> 16, v4 & 0xffff];
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
  if (groups.length !== 8) return undefined;
  const word = (i: number) => (groups[i]! * 0x10000 + groups[i + 1]!) >>> 0;
  return [word(0), word(2), word(4), word(6)];
}

export function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

export const formatIpv4 = (a: Ipv4): string => `${a >>> 24}.${(a >>> 16) & 255}.${(a >>> 8) & 255}.${a & 255}`;

/** RFC 5952: the longest run of zero groups is folded, IPv4-mapped addresses keep their dots, as inet_ntop(3). */
export function formatIpv6(a: Ipv6): string {
  if (a[0] === 0 && a[1] === 0 && a[2] === 0xffff) return `::ffff:${formatIpv4(a[3])}`;
  if (a[0] === 0 && a[1] === 0 && a[2] === 0 && a[3] > 0xffff) return `::${formatIpv4(a[3])}`;
  const groups = a.flatMap((w) => [w >>> 16, w & 0xffff]);
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

export const formatAddress = (a: Address): string => (typeof a === "number" ? formatIpv4(a) : formatIpv6(a));

export function sameAddress(a: Address, b: Address): boolean {
  if (typeof a === "number" || typeof b === "number") return a === b;
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];
}

export function compareAddress(a: Address, b: Address): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  if (typeof b === "number") return 1;
  for (let i = 0; i < 4; i++) {
    const d = a[i]! - b[i]!;
    if (d !== 0) return d;
  }
  return 0;
}
