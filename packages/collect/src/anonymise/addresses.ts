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

/** Whose value is their meaning: this network, loopback, link-local, multicast and what is above. */
function meansItself(address: Address): boolean {
  if (typeof address !== "number") return address[0] >>> 24 === 0xff || address[0] === 0;
  const top = address >>> 24;
  return top === 0 || top === 127 || top >= 224 || startsWith(address, LINK_LOCAL.address as number, LINK_LOCAL.length);
}

const LINK_LOCAL: Prefix = { address: 0xa9fe0000, length: 16 };
/** The way to these stays, so that a private address stays private and no other becomes one. */
const SPECIAL: readonly Prefix[] = [
  LINK_LOCAL,
  { address: 0xac100000, length: 12 },
  { address: 0xc0a80000, length: 16 },
  { address: 0x64400000, length: 10 },
];

/** How many leading bits stay in any case. */
const keptBits = (address: Address): number =>
  typeof address === "number" ? 8 : address[0] >>> 22 === 0x3fa ? 64 : 16;

/**
 * A mapping that keeps prefixes: two addresses that share their first n bits share them afterwards. Bit by bit, whether one is
 * turned depends on the bits before it only. On the way to the first and to the last address of a network that the bundle
 * names nothing is turned, so that a network stays a network and a broadcast address a broadcast address.
 */
export class AddressMap {
  private readonly fixed = new Set<string>();
  private readonly known = new Map<string, Address>();
  private readonly turned = new Map<string, number>();
  private readonly keyed: Keyed;

  constructor(networks: readonly Prefix[], by: Keyed) {
    this.keyed = by;
    for (const { address, length } of SPECIAL) {
      const bits = bitsOf(address);
      for (let i = 0; i < length; i++) this.fixed.add(`4 ${bits.slice(0, i).join("")}`);
    }
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

  private turns(node: string): number {
    if (this.fixed.has(node)) return 0;
    const known = this.turned.get(node);
    if (known !== undefined) return known;
    const bit = this.keyed.bit(node);
    this.turned.set(node, bit);
    return bit;
  }

  map(address: Address): Address {
    // ::ffff:10.0.0.1 is 10.0.0.1.
    if (typeof address !== "number" && address[0] === 0 && address[1] === 0 && address[2] === 0xffff)
      return [0, 0, 0xffff, this.map(address[3]) as number];
    if (meansItself(address)) return address;
    const kept = keptBits(address);
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
      return bit ^ this.turns(node);
    });
    const result = addressOf(mapped);
    this.known.set(key, result);
    return result;
  }
}
