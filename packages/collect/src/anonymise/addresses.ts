import { type Address, familyOf, type Prefix } from "@hairpin/core/net/index.ts";
import type { Keyed } from "./keyed.ts";

type Bits = readonly number[];

const bitsOf = (address: Address): Bits =>
  (typeof address === "number" ? [address] : address).flatMap((word) =>
    Array.from({ length: 32 }, (_, i) => (word >>> (31 - i)) & 1),
  );

const addressOf = (bits: Bits): Address => {
  const word = (at: number) => bits.slice(at, at + 32).reduce((n, b) => n * 2 + b, 0);
  return bits.length === 32 ? word(0) : [word(0), word(32), word(64), word(96)];
};

const startsWith = (address: number, network: number, length: number): boolean =>
  (address ^ network) >>> (32 - length) === 0;

/** How many leading bits stay, so that a private address stays private and a documentation range one; undefined: all. */
function keptBits(address: Address): number | undefined {
  if (typeof address !== "number") {
    const [first] = address;
    if (first >>> 24 === 0xff || (first === 0 && address[1] === 0 && address[2] === 0)) return undefined;
    return first >>> 22 === 0x3fa ? 64 : 16;
  }
  const top = address >>> 24;
  // This network, loopback, link-local, multicast and what is above: their value is their meaning.
  if (top === 0 || top === 127 || top >= 224 || startsWith(address, 0xa9fe0000, 16)) return undefined;
  if (startsWith(address, 0xac100000, 12)) return 12;
  if (startsWith(address, 0xc0a80000, 16)) return 16;
  if (startsWith(address, 0x64400000, 10)) return 10;
  return 8;
}

/**
 * A mapping that keeps prefixes: two addresses that share their first n bits share them afterwards. Bit by bit, whether one is
 * turned depends on the bits before it only. On the way to the first and to the last address of a network that the bundle
 * names nothing is turned, so that a network stays a network and a broadcast address a broadcast address.
 */
export class AddressMap {
  private readonly fixed = new Set<string>();
  private readonly known = new Map<string, Address>();
  private readonly keyed: Keyed;

  constructor(networks: readonly Prefix[], by: Keyed) {
    this.keyed = by;
    for (const { address, length } of networks) {
      const bits = bitsOf(address).slice(0, length);
      for (const fill of [0, 1]) {
        let path = bits.join("");
        for (let i = length; i < (familyOf(address) === 4 ? 32 : 128); i++) {
          this.fixed.add(`${familyOf(address)} ${path}`);
          path += fill;
        }
      }
    }
  }

  map(address: Address): Address {
    const kept = keptBits(address);
    if (kept === undefined) return address;
    const key = typeof address === "number" ? String(address) : address.join();
    const before = this.known.get(key);
    if (before !== undefined) return before;
    const family = familyOf(address);
    const bits = bitsOf(address);
    let prefix = bits.slice(0, kept).join("");
    const mapped = bits.map((bit, i) => {
      if (i < kept) return bit;
      const node = `${family} ${prefix}`;
      prefix += bit;
      return this.fixed.has(node) ? bit : bit ^ this.keyed.bit(node);
    });
    const result = addressOf(mapped);
    this.known.set(key, result);
    return result;
  }
}
