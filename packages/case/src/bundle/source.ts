/** Bytes in memory or on disk. */
export interface ByteSource {
  readonly length: number;
  /** Fewer where it ends. */
  readonly slice: (from: number, length: number) => Uint8Array;
}

export const inMemory = (bytes: Uint8Array): ByteSource => ({
  length: bytes.length,
  slice: (from, length) => bytes.subarray(from, from + length),
});

/** A run of them. */
export const part = (source: ByteSource, start: number, length: number): ByteSource => ({
  length,
  slice: (from, most) => source.slice(start + from, Math.max(0, Math.min(most, length - from))),
});

const PIECE = 1 << 16;

/** All of them, piece by piece; `told` hears how far it is. */
export function* piecesOf(
  source: ByteSource,
  told?: (done: number) => void,
  size: number = PIECE,
): Generator<Uint8Array> {
  for (let at = 0; at < source.length; ) {
    const piece = source.slice(at, size);
    if (piece.length === 0) return;
    at += piece.length;
    told?.(at);
    yield piece;
  }
}

export const wholeOf = (source: ByteSource): Uint8Array => source.slice(0, source.length);
