import type { AddressRange, MaskedAddress } from "../../../model/index.ts";
import {
  type Address,
  ANY4,
  applyMask,
  compareAddress,
  type Family,
  formatAddress,
  lengthOfMask,
  maskFor,
  maxLength,
  parseIpv4,
  parseIpv6,
} from "../../../net/index.ts";
import { parseUnsigned } from "./number.ts";
import { single, type Value } from "./value.ts";

export const parseFamilyAddress = (text: string, family: Family): Address | undefined =>
  family === 4 ? parseIpv4(text) : parseIpv6(text);

/** `ADDRESS[/LENGTH|/MASK]`; host bits are kept. `0` and `0/0` are what getaddrinfo(3) makes of them. */
export function parseMaskedAddress(text: string, family: Family): MaskedAddress | undefined {
  const slash = text.indexOf("/");
  const head = slash < 0 ? text : text.slice(0, slash);
  const address = family === 4 && head === "0" ? ANY4 : parseFamilyAddress(head, family);
  if (address === undefined) return undefined;
  if (slash < 0) return { address, mask: maskFor(address, maxLength(address)) };
  const rest = text.slice(slash + 1);
  const c = rest.charCodeAt(0);
  const length = c >= 48 && c <= 57 ? parseUnsigned(rest, maxLength(address)) : undefined;
  if (length !== undefined) return { address, mask: maskFor(address, length) };
  const mask = parseFamilyAddress(rest, family);
  return mask === undefined ? undefined : { address, mask };
}

/** As iptables keeps -s and -d: without host bits. */
export function parseNetwork(text: string, family: Family): MaskedAddress | undefined {
  const read = parseMaskedAddress(text, family);
  return read === undefined ? undefined : { address: applyMask(read.address, read.mask), mask: read.mask };
}

const formatMask = (mask: Address): string => {
  const length = lengthOfMask(mask);
  return length === undefined ? formatAddress(mask) : String(length);
};

export const formatNetwork = (m: MaskedAddress): string => `${formatAddress(m.address)}/${formatMask(m.mask)}`;

const isAllOnes = (mask: Address): boolean => lengthOfMask(mask) === maxLength(mask);

export const address: Value<Address> = single(
  "an address",
  (word, context) => parseFamilyAddress(word, context.family),
  formatAddress,
);

/** Host bits kept, a full mask not printed (`--ctorigsrc 1.1.1.1`, `--vaddr 1.2.3.4/24`). */
export const hostOrNetwork: Value<MaskedAddress> = single(
  "ADDRESS or ADDRESS/MASK",
  (word, context) => parseMaskedAddress(word, context.family),
  (m) => (isAllOnes(m.mask) ? formatAddress(m.address) : formatNetwork(m)),
);

/** The mask always printed (`--to 1.2.3.4/32`). */
export const network: Value<MaskedAddress> = single(
  "ADDRESS or ADDRESS/MASK",
  (word, context) => parseMaskedAddress(word, context.family),
  formatNetwork,
);

export function parseAddressRange(text: string, family: Family): AddressRange | undefined {
  const dash = text.indexOf("-");
  const from = parseFamilyAddress(dash < 0 ? text : text.slice(0, dash), family);
  const to = dash < 0 ? from : parseFamilyAddress(text.slice(dash + 1), family);
  return from === undefined || to === undefined || compareAddress(from, to) > 0 ? undefined : { from, to };
}

export const addressRange: Value<AddressRange> = single(
  "ADDRESS or FROM-TO",
  (word, context) => parseAddressRange(word, context.family),
  (range) => `${formatAddress(range.from)}-${formatAddress(range.to)}`,
);
