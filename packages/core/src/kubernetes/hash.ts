/** The first 64 primes' cube roots and the first 8 primes' square roots, as FIPS 180-4 takes them. */
const K = new Uint32Array(64);
const H0 = new Uint32Array(8);
for (let n = 2, i = 0; i < 64; n++) {
  let prime = true;
  for (let d = 2; d * d <= n && prime; d++) prime = n % d !== 0;
  if (!prime) continue;
  const fraction = (x: number): number => ((x - Math.floor(x)) * 0x100000000) >>> 0;
  if (i < 8) H0[i] = fraction(Math.sqrt(n));
  K[i++] = fraction(Math.cbrt(n));
}

const W = new Uint32Array(64);

function compress(state: Uint32Array, block: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const j = at + i * 4;
    W[i] = (block[j]! << 24) | (block[j + 1]! << 16) | (block[j + 2]! << 8) | block[j + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const x = W[i - 15]!;
    const y = W[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    W[i] = (W[i - 16]! + s0 + W[i - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + W[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}

/** FIPS 180-4; core may use no platform's own. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  const state = Uint32Array.from(H0);
  for (let at = 0; at < padded.length; at += 64) compress(state, padded, at);
  const out = new Uint8Array(32);
  const words = new DataView(out.buffer);
  for (let i = 0; i < 8; i++) words.setUint32(i * 4, state[i]!);
  return out;
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648, as much of it as kube-proxy keeps: `length` characters of the unpadded text. */
export function base32(bytes: Uint8Array, length: number): string {
  let text = "";
  for (let bit = 0; text.length < length; bit += 5) {
    const at = bit >> 3;
    const pair = (bytes[at]! << 8) | (bytes[at + 1] ?? 0);
    text += BASE32[(pair >> (11 - (bit & 7))) & 31]!;
  }
  return text;
}

/** UTF-8 by hand: there is no TextEncoder in the language itself. Names of Kubernetes are ASCII. */
function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x80) return beyondAscii(text);
    bytes[i] = c;
  }
  return bytes;
}

function beyondAscii(text: string): Uint8Array {
  const out: number[] = [];
  for (const char of text) {
    const c = char.codePointAt(0)!;
    if (c < 0x80) out.push(c);
    else if (c < 0x800) out.push(0xc0 | (c >> 6), 0x80 | (c & 63));
    else if (c < 0x10000) out.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
    else out.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
  }
  return Uint8Array.from(out);
}

/** Follows portProtoHash() and servicePortEndpointChainName() (pkg/proxy/iptables/proxier.go): 16 characters of base32(sha256(text)). */
export const chainHash = (text: string): string => base32(sha256(utf8(text)), 16);

/** Follows hashAndTruncate() (pkg/proxy/nftables/proxier.go): 8 characters of the same. */
export const nameHash = (text: string): string => base32(sha256(utf8(text)), 8);
