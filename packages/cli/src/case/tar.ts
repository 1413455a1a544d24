import { readSync } from "node:fs";
import { BadBundle, readTar as read, type TarContent, type TarSource } from "@hairpin/case/bundle/tar.ts";
import { EXIT, Failure } from "../exit-status.ts";
import type { Budget } from "./budget.ts";
import type { Extent } from "./capture-file.ts";

export { inMemory, isCapture, looksLikeTar, type TarSource, withoutTopFolder } from "@hairpin/case/bundle/tar.ts";

export const onDisk = ({ fd, from: start, length: size }: Extent) => ({
  length: size,
  slice: (from: number, length: number): Buffer => {
    const piece = Buffer.alloc(Math.max(0, Math.min(length, size - from)));
    let got = 0;
    while (got < piece.length) {
      const n = readSync(fd, piece, got, piece.length - got, start + from + got);
      if (n === 0) break;
      got += n;
    }
    return piece.subarray(0, got);
  },
});

/** Lists a tar archive. */
export function readTar(archive: TarSource, budget: Budget): TarContent {
  try {
    return read(archive, { limits: budget.limits, file: (path, bytes) => budget.file(path, bytes) });
  } catch (error) {
    throw error instanceof BadBundle ? new Failure(EXIT.badData, error.message) : error;
  }
}
