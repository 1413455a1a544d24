import { text as message } from "@hairpin/core/messages/index.ts";
import { lookup } from "@hairpin/core/model/lookup.ts";
import { BadBundle } from "./bad-bundle.ts";
import { binaryKind } from "./decode.ts";
import { decoder } from "./decoder.ts";
import { safePath } from "./safe-path.ts";
import type { ByteSource } from "./source.ts";

export interface TarEntry {
  readonly path: string;
  /** Where it lies in the archive. */
  readonly from: number;
  readonly length: number;
}

/** What an archive may list; `entry` throws where it is too much. */
export interface Bounds {
  readonly limits: { readonly pathLength: number };
  readonly entry: () => void;
}

export interface TarContent {
  readonly files: readonly TarEntry[];
  /** Links and special files that were not taken. */
  readonly skipped: readonly string[];
}

const BLOCK = 512;

const cutShort = (at: number): BadBundle => new BadBundle(message("error.bundle-cut", { at }));

const damaged = (at: number): BadBundle => new BadBundle(message("error.bundle-no-tar", { at }));

const utf8 = (bytes: Uint8Array): string => decoder("utf-8").decode(bytes);
const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

const text = (header: Uint8Array, from: number, length: number): string => {
  const field = header.subarray(from, from + length);
  const end = field.indexOf(0);
  return utf8(field.subarray(0, end < 0 ? length : end));
};

/** Octal, or GNU's base 256 for large values. */
function number(header: Uint8Array, from: number, length: number): number | undefined {
  const field = header.subarray(from, from + length);
  if ((field[0]! & 0x80) !== 0) {
    let value = 0;
    for (let i = 1; i < length; i++) value = value * 256 + field[i]!;
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const digits = latin1(field)
    .replace(/[\0 ]+$/, "")
    .trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : undefined;
}

/** The header's bytes summed, its own checksum field taken as blanks. */
function isHeader(header: Uint8Array): boolean {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : header[i]!;
  return number(header, 148, 8) === sum;
}

/** pax records: `LENGTH KEY=VALUE\n`. */
function pax(bytes: Uint8Array): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(32, at);
    const length = space < 0 ? Number.NaN : Number(latin1(bytes.subarray(at, Math.min(space, at + 16))));
    if (!Number.isInteger(length) || length <= space - at + 1) break;
    const record = utf8(bytes.subarray(space + 1, at + length - 1));
    const equals = record.indexOf("=");
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}

const KINDS: Readonly<Record<string, string>> = lookup({
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a device",
  "4": "a device",
  "6": "a pipe",
});

/** Lists a tar archive. Only regular files are taken, and none is ever written anywhere; captures may have any size. */
export function readTar(archive: ByteSource, bounds: Bounds): TarContent {
  const files = new Map<string, TarEntry>();
  const skipped: string[] = [];
  let at = 0;
  let longName: string | undefined;
  let records: ReadonlyMap<string, string> = new Map();
  while (at + BLOCK <= archive.length) {
    const header = archive.slice(at, BLOCK);
    if (header.every((b) => b === 0)) return { files: [...files.values()], skipped };
    const size = number(header, 124, 12);
    if (!isHeader(header) || size === undefined) throw damaged(at);
    const length = Number(records.get("size") ?? size);
    const from = at + BLOCK;
    if (!Number.isSafeInteger(length) || length < 0) throw damaged(at);
    if (from + length > archive.length) throw cutShort(archive.length);
    const type = String.fromCharCode(header[156]!);
    at = from + Math.ceil(length / BLOCK) * BLOCK;
    if (type === "L" || type === "x") {
      if (length > 65_536) throw damaged(from);
      const bytes = archive.slice(from, length);
      if (type === "L") longName = utf8(bytes).replace(/\0+$/, "");
      else records = pax(bytes);
      continue;
    }
    if (type === "g" || type === "K") continue;
    const prefix = latin1(header.subarray(257, 262)) === "ustar" ? text(header, 345, 155) : "";
    const short = text(header, 0, 100);
    const name = records.get("path") ?? longName ?? (prefix === "" ? short : `${prefix}/${short}`);
    longName = undefined;
    records = new Map();
    const path = safePath(name, bounds.limits.pathLength);
    if (type === "0" || type === "\0" || type === "7") {
      if (path === "") continue;
      bounds.entry();
      // As tar unpacks it: what comes later replaces what came before.
      if (files.delete(path))
        skipped.push(`${path}: stands in it more than once, the last one is read; the others are`);
      files.set(path, { path, from, length });
    } else if (type !== "5") skipped.push(`${path}: ${KINDS[type] ?? "not a regular file"}`);
  }
  // An archive ends in a block of zeros. Without it, it was cut, between two files or in the padding of the last.
  throw at === 0 ? damaged(0) : cutShort(archive.length);
}

export const isCapture = (head: Uint8Array): boolean => binaryKind(head)?.startsWith("pcap") === true;

/** Whether the bytes begin with a tar header. */
export const looksLikeTar = (bytes: Uint8Array): boolean =>
  bytes.length >= BLOCK && isHeader(bytes.subarray(0, BLOCK)) && bytes[0] !== 0;

/** A bundle made of one folder is that folder. */
export function withoutTopFolder(paths: readonly string[]): (path: string) => string {
  const tops = new Set(paths.map((p) => p.split("/", 1)[0]));
  const [top] = tops;
  const single = tops.size === 1 && top !== undefined && top !== "nodes" && paths.every((p) => p.includes("/"));
  return single ? (path) => path.slice(top.length + 1) : (path) => path;
}
