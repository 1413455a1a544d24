import { damaged, refused } from "./bad-packing.ts";
import { PackedInput, type Pieces } from "./input.ts";
import { Window } from "./window.ts";
import { BlockDecoder } from "./zstd-block.ts";

/** `zstd --ultra -22` asks for it; --long may ask for more. */
const MOST_WINDOW = 128 << 20;
const MOST_BLOCK = 1 << 17;

/** Unpacks zstd (RFC 8878), piece by piece. The content checksum is not looked at. */
export function* unzstd(pieces: Pieces): Generator<Uint8Array> {
  const input = new PackedInput(pieces, "zstd");
  while (input.more()) {
    const magic = input.little(4);
    if (magic >= 0x184d2a50 && magic <= 0x184d2a5f) skip(input, input.little(4));
    else if (magic === 0xfd2fb528) yield* frame(input);
    else throw damaged("zstd", "a frame's header");
  }
}

function skip(input: PackedInput, length: number): void {
  for (let left = length; left > 0; left -= 65_536) input.bytes(Math.min(left, 65_536));
}

function windowOf(input: PackedInput): number {
  const byte = input.byte();
  const base = 2 ** (10 + (byte >> 3));
  return base + (base / 8) * (byte & 7);
}

function* frame(input: PackedInput): Generator<Uint8Array> {
  const descriptor = input.byte();
  const single = (descriptor & 0x20) !== 0;
  if ((descriptor & 0x08) !== 0) throw damaged("zstd", "a frame's header");
  let size = single ? 0 : windowOf(input);
  if (input.little([0, 1, 2, 4][descriptor & 3]!) !== 0) throw refused("its zstd data needs a dictionary");
  const bytes = [single ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const content = bytes === 0 ? undefined : input.little(bytes) + (bytes === 2 ? 256 : 0);
  if (single) size = content ?? 0;
  const window = new Window("zstd", Math.max(size, MOST_BLOCK), MOST_WINDOW);
  const block = new BlockDecoder(window);
  for (let last = false; !last; ) {
    const header = input.little(3);
    last = (header & 1) === 1;
    const length = header >> 3;
    const type = (header >> 1) & 3;
    if (type === 3 || length > MOST_BLOCK) throw damaged("zstd", "a block");
    if (type === 0) block.plain(input.bytes(length));
    else if (type === 1) block.repeated(input.byte(), length);
    else block.compressed(input.bytes(length));
    if (window.pending > 0) yield window.take();
  }
  if ((descriptor & 4) !== 0) input.bytes(4);
}
