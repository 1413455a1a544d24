const TABLE32 = table32(0xedb88320);

function table32(polynomial: number): Uint32Array {
  const table = new Uint32Array(256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? polynomial ^ (c >>> 1) : c >>> 1;
    table[n] = c;
  }
  return table;
}

/** CRC-32 of IEEE 802.3; `before` is that of what came before. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let c = ~before;
  for (let i = 0; i < bytes.length; i++) c = TABLE32[(c ^ bytes[i]!) & 0xff]! ^ (c >>> 8);
  return ~c >>> 0;
}

/** CRC-64 of ECMA-182, in two halves. */
const LOW = new Int32Array(256);
const HIGH = new Int32Array(256);
for (let n = 0; n < 256; n++) {
  let low = n;
  let high = 0;
  for (let k = 0; k < 8; k++) {
    const odd = low & 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    if (odd) {
      low ^= 0xd7870f42 | 0;
      high ^= 0xc96c5795 | 0;
    }
  }
  LOW[n] = low;
  HIGH[n] = high;
}

export class Crc64 {
  #low = -1;
  #high = -1;

  add(bytes: Uint8Array): void {
    let low = this.#low;
    let high = this.#high;
    for (let i = 0; i < bytes.length; i++) {
      const n = (low ^ bytes[i]!) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ LOW[n]!;
      high = (high >>> 8) ^ HIGH[n]!;
    }
    this.#low = low;
    this.#high = high;
  }

  /** Low half, high half. */
  get value(): readonly [number, number] {
    return [~this.#low >>> 0, ~this.#high >>> 0];
  }
}
