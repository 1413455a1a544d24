import { damaged, refused } from "./bad-packing.ts";
import { Crc64, crc32 } from "./crc.ts";
import { PackedInput, type Pieces } from "./input.ts";
import { LzmaDecoder } from "./lzma.ts";
import { Window } from "./window.ts";

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
/** `xz -9` asks for half of it. */
const MOST_WINDOW = 128 << 20;
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/** Unpacks .xz, piece by piece: the .xz file format 1.1, with LZMA2 and no other filter. */
export function* unxz(pieces: Pieces): Generator<Uint8Array> {
  const input = new PackedInput(pieces, "xz");
  for (let first = true; input.more(); first = false) {
    if (!first && !afterPadding(input)) return;
    yield* stream(input, first ? MAGIC : MAGIC.slice(1));
  }
}

/** Streams may follow each other, with zeros between them. Takes the first byte of the next. */
function afterPadding(input: PackedInput): boolean {
  while (input.more()) {
    const byte = input.byte();
    if (byte === 0) continue;
    if (byte !== MAGIC[0]) throw damaged("xz", "what follows a stream");
    return true;
  }
  return false;
}

function* stream(input: PackedInput, magic: readonly number[]): Generator<Uint8Array> {
  for (const byte of magic) if (input.byte() !== byte) throw damaged("xz", "a stream's header");
  const flags = input.bytes(2).slice();
  if (flags[0] !== 0 || flags[1]! > 15 || input.little(4) !== crc32(flags)) throw damaged("xz", "a stream's flags");
  const check = flags[1]!;
  let blocks = 0;
  for (;;) {
    const size = input.byte();
    if (size === 0) break;
    blocks++;
    yield* block(input, (size + 1) * 4, check);
  }
  skipIndex(input, blocks);
  const footer = input.bytes(12);
  if (footer[10] !== 0x59 || footer[11] !== 0x5a) throw damaged("xz", "a stream's end");
}

/** Records of the blocks' sizes, for those who jump. Its first byte is taken. */
function skipIndex(input: PackedInput, blocks: number): void {
  const from = input.taken - 1;
  if (variable(input) !== blocks) throw damaged("xz", "the index");
  for (let i = 0; i < blocks * 2; i++) variable(input);
  while ((input.taken - from) % 4 !== 0) input.byte();
  input.bytes(4);
}

function variable(input: PackedInput): number {
  let value = 0;
  for (let i = 0, scale = 1; i < 9; i++, scale *= 128) {
    const byte = input.byte();
    value += (byte & 127) * scale;
    if (byte < 128) return value;
  }
  throw damaged("xz", "a number");
}

function windowSize(bits: number): number {
  if (bits > 40) throw damaged("xz", "the window");
  return bits === 40 ? 2 ** 32 - 1 : (2 | (bits & 1)) * 2 ** (Math.floor(bits / 2) + 11);
}

/** A block's header: only LZMA2 is taken. Its size byte is taken. */
function header(input: PackedInput, size: number): number {
  const bytes = new Uint8Array(size - 4);
  bytes[0] = size / 4 - 1;
  bytes.set(input.bytes(size - 5), 1);
  if (input.little(4) !== crc32(bytes)) throw damaged("xz", "a block's header");
  const head = new PackedInput([bytes.subarray(1)], "xz");
  const flags = head.byte();
  if ((flags & 0x40) !== 0) variable(head);
  if ((flags & 0x80) !== 0) variable(head);
  const filter = variable(head);
  if ((flags & 3) !== 0 || filter !== 0x21) throw refused("its xz data went through a filter for programs, not read");
  if (variable(head) !== 1) throw damaged("xz", "LZMA2");
  return windowSize(head.byte());
}

function* block(input: PackedInput, size: number, check: number): Generator<Uint8Array> {
  const window = new Window("xz", Math.max(4096, header(input, size)), MOST_WINDOW);
  const from = input.taken;
  const lzma = new LzmaDecoder(window);
  const crc64 = new Crc64();
  let sum = 0;
  let properties = false;
  for (let first = true; ; first = false) {
    const control = input.byte();
    if (control === 0) break;
    if (first && control !== 1 && control < 0xe0) throw damaged("xz", "LZMA2");
    if (control < 0x80) {
      if (control > 2) throw damaged("xz", "LZMA2");
      if (control === 1) lzma.forget();
      const length = ((input.byte() << 8) | input.byte()) + 1;
      lzma.plain(input.bytes(length));
    } else {
      const unpacked = (((control & 31) << 16) | (input.byte() << 8) | input.byte()) + 1;
      const packed = ((input.byte() << 8) | input.byte()) + 1;
      if (control >= 0xe0) lzma.forget();
      if (control >= 0xc0) {
        lzma.properties(input.byte());
        properties = true;
      }
      if (!properties) throw damaged("xz", "LZMA2");
      if (control >= 0xa0) lzma.reset();
      lzma.chunk(input.bytes(packed), unpacked);
    }
    const piece = window.take();
    if (check === 4) crc64.add(piece);
    else if (check === 1) sum = crc32(piece, sum);
    yield piece;
  }
  while ((input.taken - from) % 4 !== 0) input.byte();
  const stored = input.bytes(CHECK_SIZES[check]!);
  const at = (i: number): number =>
    (stored[i]! | (stored[i + 1]! << 8) | (stored[i + 2]! << 16) | (stored[i + 3]! << 24)) >>> 0;
  if (check === 1 && at(0) !== sum) throw damaged("xz", "its checksum differs");
  const [low, high] = crc64.value;
  if (check === 4 && (at(0) !== low || at(4) !== high)) throw damaged("xz", "its checksum differs");
}
