/** Frames and capture files, byte by byte. */
const u16 = (n: number): number[] => [(n >> 8) & 255, n & 255];
const u32 = (n: number): number[] => [(n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
const bytes = (...parts: (readonly number[] | Uint8Array)[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((p) => [...p]));

const A = [10, 0, 0, 1];
const B = [10, 0, 0, 2];

function ip(protocol: number, src: readonly number[], dst: readonly number[], body: Uint8Array): Uint8Array {
  const length = 20 + body.length;
  return bytes([0x45, 0], u16(length), u16(77), u16(0x4000), [64, protocol], u16(0), src, dst, body);
}

export function tcp(of: { flags: number; seq: number; ack?: number; payload?: number; reverse?: boolean }): Uint8Array {
  const ports = of.reverse === true ? [...u16(80), ...u16(4000)] : [...u16(4000), ...u16(80)];
  const body = bytes(
    ports,
    u32(of.seq),
    u32(of.ack ?? 0),
    u16(0x5000 | of.flags),
    u16(1000),
    u16(0),
    u16(0),
    new Uint8Array(of.payload ?? 0),
  );
  return of.reverse === true ? ip(6, B, A, body) : ip(6, A, B, body);
}

export const udp = (sport: number, dport: number, body: Uint8Array): Uint8Array =>
  ip(17, A, B, bytes(u16(sport), u16(dport), u16(8 + body.length), u16(0), body));

export const vxlan = (frame: Uint8Array): Uint8Array => udp(5555, 4789, bytes([8, 0, 0, 0], u32(1 << 8), frame));

export const icmpError = (about: Uint8Array): Uint8Array =>
  ip(1, B, A, bytes([3, 3], u16(0), u32(0), about.subarray(0, 40)));

const MAC_A = [2, 0, 0, 0, 0, 1];
const MAC_B = [2, 0, 0, 0, 0, 2];

export const ethernet = (packet: Uint8Array, vlans: readonly number[] = []): Uint8Array =>
  bytes(
    MAC_B,
    MAC_A,
    vlans.flatMap((v) => [...u16(0x8100), ...u16(v)]),
    u16(0x0800),
    packet,
  );

export const arp = (): Uint8Array =>
  bytes(
    [255, 255, 255, 255, 255, 255],
    MAC_A,
    u16(0x0806),
    u16(1),
    u16(0x0800),
    [6, 4],
    u16(1),
    MAC_A,
    A,
    [0, 0, 0, 0, 0, 0],
    B,
  );

export const cooked = (packet: Uint8Array, type: number): Uint8Array =>
  bytes(u16(type), u16(1), u16(6), MAC_A, [0, 0], u16(0x0800), packet);

export const cooked2 = (packet: Uint8Array, type: number): Uint8Array =>
  bytes(u16(0x0800), u16(0), u32(2), u16(1), [type, 6], MAC_A, [0, 0], packet);

export function pcap(
  linkType: number,
  frames: readonly Uint8Array[],
  { little = true, nano = false }: { readonly little?: boolean; readonly nano?: boolean } = {},
): Uint8Array {
  const size = 24 + frames.reduce((n, f) => n + 16 + f.length, 0);
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(0, nano ? 0xa1b23c4d : 0xa1b2c3d4, little);
  view.setUint16(4, 2, little);
  view.setUint16(6, 4, little);
  view.setUint32(16, 262144, little);
  view.setUint32(20, linkType, little);
  const out = new Uint8Array(view.buffer);
  let at = 24;
  for (const frame of frames) {
    view.setUint32(at, 1700000000, little);
    view.setUint32(at + 4, nano ? 250000000 : 250000, little);
    view.setUint32(at + 8, frame.length, little);
    view.setUint32(at + 12, frame.length, little);
    out.set(frame, at + 16);
    at += 16 + frame.length;
  }
  return out;
}

export function pcapng(linkType: number, frames: readonly Uint8Array[]): Uint8Array {
  const blocks: number[] = [];
  const le16 = (n: number): number[] => [n & 255, (n >> 8) & 255];
  const le32 = (n: number): number[] => [n & 255, (n >>> 8) & 255, (n >>> 16) & 255, (n >>> 24) & 255];
  const block = (type: number, body: readonly number[]): void => {
    const padded = [...body, ...new Array<number>((4 - (body.length % 4)) % 4).fill(0)];
    blocks.push(...le32(type), ...le32(padded.length + 12), ...padded, ...le32(padded.length + 12));
  };
  block(0x0a0d0d0a, [...le32(0x1a2b3c4d), ...le16(1), ...le16(0), ...le32(0xffffffff), ...le32(0xffffffff)]);
  const name = [...new TextEncoder().encode("eth7")];
  // Nanoseconds: if_tsresol 9.
  block(1, [
    ...le16(linkType),
    0,
    0,
    ...le32(0),
    ...le16(2),
    ...le16(4),
    ...name,
    ...le16(9),
    ...le16(1),
    9,
    0,
    0,
    0,
    ...le32(0),
  ]);
  const ticks = 1700000000.25 * 1e9;
  for (const frame of frames)
    block(6, [
      ...le32(0),
      ...le32(Math.floor(ticks / 2 ** 32)),
      ...le32((ticks % 2 ** 32) >>> 0),
      ...le32(frame.length),
      ...le32(frame.length),
      ...frame,
    ]);
  return Uint8Array.from(blocks);
}

export interface Segment {
  readonly src: string;
  readonly sport: number;
  readonly dst: string;
  readonly dport: number;
  readonly flags: number;
  readonly seq: number;
  readonly ack?: number;
  readonly payload?: number;
}

const dotted = (address: string): number[] => address.split(".").map(Number);

/** A TCP segment between any two. */
export const segment = (s: Segment): Uint8Array =>
  ip(
    6,
    dotted(s.src),
    dotted(s.dst),
    bytes(
      u16(s.sport),
      u16(s.dport),
      u32(s.seq),
      u32(s.ack ?? 0),
      u16(0x5000 | s.flags),
      u16(1000),
      u16(0),
      u16(0),
      new Uint8Array(s.payload ?? 0),
    ),
  );

/** Who has `target`, asks `sender`. */
export const arpFor = (target: string, sender: string): Uint8Array => {
  const frame = arp();
  frame.set(dotted(sender), 14 + 14);
  frame.set(dotted(target), 14 + 24);
  return frame;
};

export const icmpErrorFrom = (from: string, about: Uint8Array): Uint8Array =>
  ip(1, dotted(from), [...about.subarray(12, 16)], bytes([3, 1], u16(0), u32(0), about.subarray(0, 40)));
