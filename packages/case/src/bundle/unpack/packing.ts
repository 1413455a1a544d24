import { gunzip, inflate } from "./inflate.ts";
import { PackedInput, type Pieces } from "./input.ts";
import { unxz } from "./xz.ts";
import { unzstd } from "./zstd.ts";

export type Packing = "gzip" | "xz" | "zstd" | "deflate";

/** Unpacks piece by piece; throws BadBundle where the bytes do not follow their format. */
export const UNPACKERS: Readonly<Record<Packing, (pieces: Pieces) => Generator<Uint8Array>>> = {
  gzip: gunzip,
  xz: unxz,
  zstd: unzstd,
  deflate: (pieces) => inflate(new PackedInput(pieces, "deflate")),
};

/** How a file is packed, by its first bytes. */
export function packingOf(head: Uint8Array): Packing | undefined {
  const starts = (...bytes: readonly number[]): boolean => bytes.every((b, i) => head[i] === b);
  if (starts(0x1f, 0x8b)) return "gzip";
  if (starts(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)) return "xz";
  return starts(0x28, 0xb5, 0x2f, 0xfd) ? "zstd" : undefined;
}
