import { type ByteSource, piecesOf } from "@hairpin/case/bundle/source.ts";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import { binaryKind } from "./decode.ts";
import { Progress } from "./progress.ts";

const PIECE = 1 << 20;

/** What kind of capture the bytes are, if they are one. */
export function captureKind(bytes: ByteSource): string | undefined {
  const head = bytes.slice(0, 8);
  const kind = head.length < 8 ? undefined : binaryKind(head);
  return kind?.startsWith("pcap") ? kind : undefined;
}

/** A capture of any size, to be read piece by piece, each time from bytes that are opened anew. */
export function captureInput(shown: string, binary: string, open: () => Opened): Pick<CaseInput, "binary" | "pieces"> {
  let pass = 0;
  return {
    binary,
    *pieces() {
      const { bytes, close } = open();
      const progress = new Progress(++pass === 1 ? shown : `${shown}, reading ${pass}`);
      try {
        yield* piecesOf(bytes, (done) => progress.at(done, bytes.length), PIECE);
      } finally {
        progress.end();
        close();
      }
    },
  };
}

/** Bytes that can be read until they are closed. */
export interface Opened {
  readonly bytes: ByteSource;
  readonly close: () => void;
}
