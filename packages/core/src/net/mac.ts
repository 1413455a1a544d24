import { parseAddress } from "./address.ts";

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
