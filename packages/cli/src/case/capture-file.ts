import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import { binaryKind } from "./decode.ts";

const PIECE = 1 << 20;
/** Below this nobody waits for it. */
const WORTH_SHOWING = 64 << 20;

/** A capture file of any size, to be read piece by piece; undefined if the file is none. No link is followed. */
export function captureFile(path: string, shown: string): CaseInput | undefined {
  const head = Buffer.alloc(8);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const read = readSync(fd, head, 0, head.length, 0);
    const binary = read < 8 ? undefined : binaryKind(head);
    if (binary === undefined || !binary.startsWith("pcap") || !fstatSync(fd).isFile()) return undefined;
    return { path: shown, binary, pieces: () => piecesOf(path, shown) };
  } finally {
    closeSync(fd);
  }
}

function* piecesOf(path: string, shown: string): Generator<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(fd);
    const tell = size > WORTH_SHOWING && process.stderr.isTTY === true;
    let at = 0;
    let told = -1;
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE);
      const read = readSync(fd, piece, 0, PIECE, at);
      if (read === 0) break;
      at += read;
      const percent = Math.floor((100 * at) / size);
      if (tell && percent > told) {
        told = percent;
        process.stderr.write(`\r${shown}: ${percent} %`);
      }
      yield piece.subarray(0, read);
    }
    if (tell) process.stderr.write("\n");
  } finally {
    closeSync(fd);
  }
}
