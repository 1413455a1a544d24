import { text } from "@hairpin/core/messages/index.ts";
import { BadBundle } from "./bad-bundle.ts";
import { decoder } from "./decoder.ts";
import { safePath } from "./safe-path.ts";
import type { ByteSource } from "./source.ts";
import type { Bounds } from "./tar.ts";

export interface ZipEntry {
  readonly path: string;
  /** Where its packed bytes lie. */
  readonly from: number;
  readonly packed: number;
  readonly length: number;
  readonly method: "stored" | "deflate";
}

export interface ZipContent {
  readonly files: readonly ZipEntry[];
  readonly skipped: readonly string[];
}

const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
/** A comment of at most 65,535 bytes may follow the end record. */
const TAIL = 65_557;

const damaged = (what: string): BadBundle => new BadBundle(text("error.bundle-no-zip", { what }));

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const big = (v: DataView, at: number): number => v.getUint32(at, true) + v.getUint32(at + 4, true) * 2 ** 32;

interface Directory {
  readonly entries: number;
  readonly from: number;
  readonly length: number;
}

function directoryOf(archive: ByteSource): Directory {
  const start = Math.max(0, archive.length - TAIL);
  const tail = view(archive.slice(start, TAIL));
  for (let at = tail.byteLength - 22; at >= 0; at--) {
    if (tail.getUint32(at, true) !== END) continue;
    const plain = {
      entries: tail.getUint16(at + 10, true),
      length: tail.getUint32(at + 12, true),
      from: tail.getUint32(at + 16, true),
    };
    const large = plain.entries === 0xffff || plain.from === 0xffffffff || plain.length === 0xffffffff;
    if (!large) return plain;
    if (at < 20 || tail.getUint32(at - 20, true) !== LOCATOR64) return plain;
    const record = view(archive.slice(big(tail, at - 12), 56));
    if (record.byteLength < 56 || record.getUint32(0, true) !== END64) throw damaged("its directory is not found");
    return { entries: big(record, 32), length: big(record, 40), from: big(record, 48) };
  }
  throw damaged("it has no end; get it again, what is missing cannot be known");
}

/** Sizes beyond 4 GiB stand in an extra field, in the order of those that the entry says lie there. */
function large(extra: DataView, sizes: number[]): void {
  for (let at = 0; at + 4 <= extra.byteLength; ) {
    const length = extra.getUint16(at + 2, true);
    if (extra.getUint16(at, true) === 1) {
      let next = at + 4;
      sizes.forEach((size, i) => {
        if (size !== 0xffffffff || next + 8 > at + 4 + length || next + 8 > extra.byteLength) return;
        sizes[i] = big(extra, next);
        next += 8;
      });
      return;
    }
    at += 4 + length;
  }
}

const SYMBOLIC_LINK = 0o120000;

/** Lists a zip archive by its directory. Encrypted files, links and methods other than deflate are not taken. */
export function readZip(archive: ByteSource, bounds: Bounds): ZipContent {
  const directory = directoryOf(archive);
  if (directory.from + directory.length > archive.length) throw damaged("its directory lies outside of it");
  const bytes = archive.slice(directory.from, directory.length);
  const at = view(bytes);
  const files = new Map<string, ZipEntry>();
  const skipped: string[] = [];
  let from = 0;
  for (let i = 0; i < directory.entries; i++) {
    if (from + 46 > bytes.length || at.getUint32(from, true) !== CENTRAL) throw damaged("its directory is cut");
    const [name, extra, comment] = [28, 30, 32].map((o) => at.getUint16(from + o, true)) as [number, number, number];
    const next = from + 46 + name + extra + comment;
    if (next > bytes.length) throw damaged("its directory is cut");
    bounds.entry();
    const flags = at.getUint16(from + 8, true);
    const method = at.getUint16(from + 10, true);
    const mode = at.getUint32(from + 38, true) >>> 16;
    const sizes = [24, 20, 42].map((o) => at.getUint32(from + o, true));
    large(view(bytes.subarray(from + 46 + name, from + 46 + name + extra)), sizes);
    const [length, packed, local] = sizes as [number, number, number];
    const raw = decoder("utf-8").decode(bytes.subarray(from + 46, from + 46 + name));
    from = next;
    const path = safePath(raw, bounds.limits.pathLength);
    if (raw.endsWith("/") || path === "") continue;
    if ((mode & 0o170000) === SYMBOLIC_LINK) skipped.push(`${path}: a symbolic link`);
    else if ((flags & 1) !== 0) skipped.push(`${path}: encrypted`);
    else if (method !== 0 && method !== 8) skipped.push(`${path}: packed by a method that is not read`);
    else {
      const entry = { path, from: dataAt(archive, local), packed, length };
      if (files.delete(path))
        skipped.push(`${path}: stands in it more than once, the last one is read; the others are`);
      files.set(path, { ...entry, method: method === 0 ? "stored" : "deflate" });
    }
  }
  const all = [...files.values()];
  apart(all, archive.length);
  return { files: all, skipped };
}

function dataAt(archive: ByteSource, local: number): number {
  const header = view(archive.slice(local, 30));
  if (header.byteLength < 30 || header.getUint32(0, true) !== LOCAL) throw damaged("a file is not where it should be");
  return local + 30 + header.getUint16(26, true) + header.getUint16(28, true);
}

/** Files that share packed bytes unpack to far more than the archive holds: only a bomb is made so. */
function apart(files: readonly ZipEntry[], length: number): void {
  let end = 0;
  for (const file of [...files].sort((a, b) => a.from - b.from)) {
    if (file.packed > 0 && file.from < end) throw damaged("files lie upon each other");
    end = Math.max(end, file.from + file.packed);
    if (end > length) throw damaged("a file lies outside of it");
  }
}

export const looksLikeZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6));
