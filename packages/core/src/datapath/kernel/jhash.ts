const rol = (x: number, k: number): number => ((x << k) | (x >>> (32 - k))) >>> 0;

/** Jenkins' hash as include/linux/jhash.h has it, of bytes in the order in which they lie in memory. */
export function jhash(k: readonly number[], seed: number): number {
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
