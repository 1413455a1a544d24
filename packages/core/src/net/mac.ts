import { type Ipv6, ipv6Of, parseAddress } from "./address.ts";

/** Hardware addresses are kept as lower-case text: they are compared and shown, never computed with. */
export type Mac = string;

export function parseMac(text: string): Mac | undefined {
  return /^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$/.test(text) ? text.toLowerCase() : undefined;
}

/** The link-layer address of any kind of device: 20 octets on InfiniBand, an IP address on a tunnel. */
export function parseLinkAddress(text: string): string | undefined {
  return /^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){0,31}$/.test(text) || parseAddress(text) !== undefined
    ? text.toLowerCase()
    : undefined;
}

export const BROADCAST_MAC: Mac = "ff:ff:ff:ff:ff:ff";
export const ZERO_MAC: Mac = "00:00:00:00:00:00";

/** The link-local address that a kernel makes from a MAC (addrconf_ifid_eui48()). */
export function linkLocalOfMac(mac: Mac): Ipv6 {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac.split(":").map((byte) => Number.parseInt(byte, 16) || 0);
  return ipv6Of([0xfe80, 0, 0, 0, ((a ^ 2) << 8) | b, (c << 8) | 0xff, 0xfe00 | d, (e << 8) | f]);
}
