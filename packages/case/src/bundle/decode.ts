import type { CaseInput } from "@hairpin/core/parse/index.ts";
import { decoder } from "./decoder.ts";

const MAGIC: readonly (readonly [string, string])[] = [
  ["d4c3b2a1", "pcap"],
  ["a1b2c3d4", "pcap"],
  ["4d3cb2a1", "pcap"],
  ["a1b23c4d", "pcap"],
  ["0a0d0d0a", "pcapng"],
  ["1f8b", "gzip"],
  ["28b52ffd", "zstd"],
  ["fd377a58", "xz"],
  ["504b0304", "zip"],
  ["425a68", "bzip2"],
  ["7f454c46", "program"],
];

/** What a file's first bytes say it is, if it is no text. */
export function binaryKind(bytes: Uint8Array): string | undefined {
  const head = [...bytes.subarray(0, 8)].map((b) => b.toString(16).padStart(2, "0")).join("");
  const known = MAGIC.find(([magic]) => head.startsWith(magic));
  if (known !== undefined) return known[1];
  const sample = bytes.subarray(0, 8192);
  let control = 0;
  for (const byte of sample)
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27 && byte !== 8) control++;
  return sample.length > 0 && control / sample.length > 0.1 ? "binary" : undefined;
}

/** The text of bytes that are all ASCII; undefined where they are not. */
export type Ascii = (bytes: Uint8Array) => string | undefined;

/** The text of a file: UTF-8, or UTF-16 where it says so (a Windows shell's `>` writes that); odd bytes are replaced. */
function textOf(bytes: Uint8Array, ascii: Ascii): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decoder("utf-16be").decode(bytes);
  // Bytes beyond ASCII are rare in dumps; without any, one byte a character keeps the text small in memory.
  return ascii(bytes) ?? decoder("utf-8").decode(bytes);
}

/** A file as a case takes it: text, a capture, or the name of what it is instead. */
export function decode(path: string, bytes: Uint8Array, ascii: Ascii = () => undefined): CaseInput {
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const binary = wide ? undefined : binaryKind(bytes);
  if (binary === undefined) return { path, text: textOf(bytes, ascii) };
  return binary.startsWith("pcap") ? { path, binary, bytes } : { path, binary };
}
