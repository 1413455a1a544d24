import { readSync } from "node:fs";
import type { ByteSource } from "@hairpin/case/bundle/source.ts";

/** Bytes of an open file. */
export const onDisk = (fd: number, size: number): ByteSource => ({
  length: size,
  slice: (from, length) => {
    const piece = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - from)));
    let got = 0;
    while (got < piece.length) {
      const n = readSync(fd, piece, got, piece.length - got, from + got);
      if (n === 0) break;
      got += n;
    }
    return piece.subarray(0, got);
  },
});
