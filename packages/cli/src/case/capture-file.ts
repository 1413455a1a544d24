import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import { binaryKind } from "./decode.ts";
import { Progress } from "./progress.ts";

const PIECE = 1 << 20;

/** Where bytes lie in an open file: all of it, or one file of an archive. */
export interface Extent {
  readonly fd: number;
  readonly from: number;
  readonly length: number;
}

/** A capture file of any size, to be read piece by piece; undefined if the file is none. No link is followed. */
export function captureFile(path: string, shown: string): CaseInput | undefined {
  const open = (): Extent => {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    return { fd, from: 0, length: stat.isFile() ? stat.size : 0 };
  };
  const extent = open();
  const binary = captureKind(extent);
  closeSync(extent.fd);
  if (binary === undefined) return undefined;
  let pass = 0;
  return {
    path: shown,
    binary,
    *pieces() {
      const again = open();
      try {
        yield* piecesOf(again, shown, ++pass);
      } finally {
        closeSync(again.fd);
      }
    },
  };
}

/** A capture inside a file that stays open. */
export function captureIn(extent: Extent, shown: string): CaseInput | undefined {
  const binary = captureKind(extent);
  let pass = 0;
  return binary === undefined ? undefined : { path: shown, binary, pieces: () => piecesOf(extent, shown, ++pass) };
}

function captureKind({ fd, from, length }: Extent): string | undefined {
  const head = Buffer.alloc(8);
  if (length < 8 || readSync(fd, head, 0, head.length, from) < 8) return undefined;
  const kind = binaryKind(head);
  return kind?.startsWith("pcap") ? kind : undefined;
}

function* piecesOf({ fd, from, length }: Extent, shown: string, pass: number): Generator<Uint8Array> {
  const progress = new Progress(pass === 1 ? shown : `${shown}, reading ${pass}`);
  try {
    // The reader is done with a piece when it asks for the next.
    const piece = Buffer.allocUnsafe(Math.min(PIECE, length));
    for (let at = 0; at < length; ) {
      const got = readSync(fd, piece, 0, Math.min(piece.length, length - at), from + at);
      if (got === 0) break;
      at += got;
      progress.at(at, length);
      yield piece.subarray(0, got);
    }
  } finally {
    progress.end();
  }
}
