import {
  type Address,
  bytesOf,
  contains,
  familyOf,
  ipv4At,
  ipv6At,
  isIpv4,
  isLinkLocal,
  isMulticast,
  type Prefix,
  parsePrefix,
} from "@hairpin/core/net/index.ts";
import type { Keyed } from "./keyed.ts";

type Bits = readonly number[];

const bitsOf = (address: Address): Bits =>
  bytesOf(address).flatMap((byte) => Array.from({ length: 8 }, (_, i) => (byte >>> (7 - i)) & 1));

const addressOf = (bits: Bits): Address => {
  const bytes = Array.from({ length: bits.length / 8 }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((n, b) => n * 2 + b, 0),
  );
  return bytes.length === 4 ? ipv4At(bytes) : ipv6At(bytes);
};

/** Whose value is their meaning: this network, loopback, link-local, multicast and what is above. */
function meansItself(address: Address): boolean {
  if (!isIpv4(address)) return isMulticast(address) || contains(RESERVED6, address);
  const [top] = bytesOf(address);
  return top === 0 || top === 127 || top! >= 224 || isLinkLocal(address);
}

const RESERVED6 = parsePrefix("::/32")!;
/** The way to these stays, so that a private address stays private and no other becomes one. */
const SPECIAL: readonly Prefix[] = ["169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"].map(
  (text) => parsePrefix(text)!,
);

/** How many leading bits stay in any case. */
const keptBits = (address: Address): number => (isIpv4(address) ? 8 : isLinkLocal(address) ? 64 : 16);
const MAPPED = parsePrefix("::ffff:0.0.0.0/96")!;

/**
 * A mapping that keeps prefixes: two addresses that share their first n bits share them afterwards. Bit by bit, whether one is
 * turned depends on the bits before it only. On the way to the first and to the last address of a network that the bundle
 * names nothing is turned, so that a network stays a network and a broadcast address a broadcast address.
 */
export class AddressMap {
  private readonly fixed = new Set<string>();
  private readonly plain = new Set<string>();
  private readonly known = new Map<Address, Address>();
  private readonly turned = new Map<string, number>();
  private readonly keyed: Keyed;

  /** `plain`: networks in which the order of addresses counts, because a range lies in them: below them nothing is turned. */
  constructor(networks: readonly Prefix[], by: Keyed, plain: readonly Prefix[] = []) {
    this.keyed = by;
    for (const { address, length } of plain)
      this.plain.add(`${familyOf(address)} ${bitsOf(address).slice(0, length).join("")}`);
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
    if (contains(MAPPED, address)) {
      const bytes = bytesOf(address);
      return ipv6At([...bytes.slice(0, 12), ...bytesOf(this.map(ipv4At(bytes, 12)))]);
    }
    if (meansItself(address)) return address;
    const kept = keptBits(address);
    const before = this.known.get(address);
    if (before !== undefined) return before;
    const family = familyOf(address);
    const bits = bitsOf(address);
    let prefix = "";
    let plain = false;
    const mapped = bits.map((bit, i) => {
      const node = `${family} ${prefix}`;
      plain ||= this.plain.has(node);
      prefix += bit;
      return i < kept || plain ? bit : bit ^ this.turns(node);
    });
    const result = addressOf(mapped);
    this.known.set(address, result);
    return result;
  }
}
