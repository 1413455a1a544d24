import { type Ipv4, type Ipv6, ipv4At, ipv6At } from "../../../net/index.ts";

/** Numbers in network order out of a frame; a read beyond its end is undefined, as frames may be cut. */
export class Bytes {
  readonly data: Uint8Array;
  readonly from: number;
  readonly to: number;

  constructor(data: Uint8Array, from = 0, to = data.length) {
    this.data = data;
    this.from = from;
    this.to = Math.min(to, data.length);
  }

  get length(): number {
    return this.to - this.from;
  }

  u8(at: number): number | undefined {
    return this.from + at < this.to ? this.data[this.from + at] : undefined;
  }

  u16(at: number): number | undefined {
    const low = this.u8(at + 1);
    return low === undefined ? undefined : this.data[this.from + at]! * 256 + low;
  }

  u32(at: number): number | undefined {
    const low = this.u16(at + 2);
    return low === undefined ? undefined : this.u16(at)! * 65536 + low;
  }

  ipv4(at: number): Ipv4 | undefined {
    return this.from + at + 4 > this.to ? undefined : ipv4At(this.data, this.from + at);
  }

  ipv6(at: number): Ipv6 | undefined {
    return this.from + at + 16 > this.to ? undefined : ipv6At(this.data, this.from + at);
  }

  mac(at: number): string | undefined {
    if (this.from + at + 6 > this.to) return undefined;
    let text = "";
    for (let i = 0; i < 6; i++) {
      const byte = this.data[this.from + at + i]!;
      text += `${i === 0 ? "" : ":"}${byte < 16 ? "0" : ""}${byte.toString(16)}`;
    }
    return text;
  }

  rest(at: number, length = Number.POSITIVE_INFINITY): Bytes {
    const from = Math.min(this.from + at, this.to);
    return new Bytes(this.data, from, Math.min(this.to, from + length));
  }
}
