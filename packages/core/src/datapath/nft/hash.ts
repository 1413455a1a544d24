import { bytesOf as octets } from "../../net/index.ts";
import type { RuleLook } from "./expression.ts";
import type { Register } from "./register.ts";

/** One of `count` values by chance: each is walked with its share. */
export function chosen(look: RuleLook, what: string, count: number): number {
  if (count <= 1) return 0;
  const options = Array.from({ length: count }, (_, i) => ({ label: String(i), share: 1 / count }));
  return look.kernel.oracle.chance(`${look.kernel.name}/${what}`, options);
}

/** The bytes of a key as they lie in nft's registers: addresses in network order, small fields filled up to four bytes. */
function bytesOf(r: Register): number[] | undefined {
  switch (r.kind) {
    case "address":
      return [...octets(r.value)];
    case "number":
      // Ports: two bytes in network order, two of nothing.
      return r.value <= 0xffff ? [(r.value >> 8) & 255, r.value & 255, 0, 0] : undefined;
    case "concat": {
      const parts = r.parts.map(bytesOf);
      return parts.every((p) => p !== undefined) ? parts.flat() : undefined;
    }
    default:
      return undefined;
  }
}

const rol = (x: number, k: number): number => ((x << k) | (x >>> (32 - k))) >>> 0;

/** Jenkins' hash as include/linux/jhash.h has it; undefined where the key's bytes are not known. */
export function jhash(key: Register, seed: number): number | undefined {
  const k = bytesOf(key);
  if (k === undefined) return undefined;
  const at = (i: number) => (k[i]! | (k[i + 1]! << 8) | (k[i + 2]! << 16) | (k[i + 3]! << 24)) >>> 0;
  let length = k.length;
  let a = (0xdeadbeef + length + seed) >>> 0;
  let b = a;
  let c = a;
  let i = 0;
  while (length > 12) {
    a = (a + at(i)) >>> 0;
    b = (b + at(i + 4)) >>> 0;
    c = (c + at(i + 8)) >>> 0;
    a = ((a - c) ^ rol(c, 4)) >>> 0;
    c = (c + b) >>> 0;
    b = ((b - a) ^ rol(a, 6)) >>> 0;
    a = (a + c) >>> 0;
    c = ((c - b) ^ rol(b, 8)) >>> 0;
    b = (b + a) >>> 0;
    a = ((a - c) ^ rol(c, 16)) >>> 0;
    c = (c + b) >>> 0;
    b = ((b - a) ^ rol(a, 19)) >>> 0;
    a = (a + c) >>> 0;
    c = ((c - b) ^ rol(b, 4)) >>> 0;
    b = (b + a) >>> 0;
    length -= 12;
    i += 12;
  }
  if (length === 0) return c;
  const tail = [...k.slice(i), ...new Array<number>(12 - length).fill(0)];
  const word = (n: number) => (tail[n]! | (tail[n + 1]! << 8) | (tail[n + 2]! << 16) | (tail[n + 3]! << 24)) >>> 0;
  a = (a + word(0)) >>> 0;
  b = (b + word(4)) >>> 0;
  c = (c + word(8)) >>> 0;
  c = ((c ^ b) - rol(b, 14)) >>> 0;
  a = ((a ^ c) - rol(c, 11)) >>> 0;
  b = ((b ^ a) - rol(a, 25)) >>> 0;
  c = ((c ^ b) - rol(b, 16)) >>> 0;
  a = ((a ^ c) - rol(c, 4)) >>> 0;
  b = ((b ^ a) - rol(a, 14)) >>> 0;
  c = ((c ^ b) - rol(b, 24)) >>> 0;
  return c;
}
