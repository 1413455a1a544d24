import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import type { Budget } from "./budget.ts";
import { captureIn, type Extent } from "./capture-file.ts";
import { decode } from "./decode.ts";
import { inMiB } from "./limits.ts";
import { unpackedHead, unpackToFile } from "./spool.ts";
import { inMemory, isCapture, looksLikeTar, onDisk, type TarSource } from "./tar.ts";

/** What a file holds: in memory, or where it lies on disk. */
export type Content = Buffer | Extent;

export const reason = (error: unknown): string => {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "there is no such file or folder";
  if (code === "EACCES" || code === "EPERM") return "it may not be read";
  return error instanceof Error ? error.message : String(error);
};

const isPacked = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** What a file holds when it is unpacked: in memory, or on disk where it is large and worth it. */
export function opened(
  path: string,
  shown: string,
  budget: Budget,
): { readonly packed: boolean; readonly content: Content } {
  const { limits } = budget;
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  let left = true;
  try {
    const { size } = fstatSync(fd);
    const head = onDisk({ fd, from: 0, length: size }).slice(0, 512);
    const packed = isPacked(head);
    if (packed) {
      const most = Math.min(limits.unpackedInMemory, Math.max(1, budget.remaining));
      if (size <= limits.unpackedInMemory) {
        try {
          return { packed, content: gunzipSync(readFileSync(fd), { maxOutputLength: most }) };
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE")
            throw new Failure(EXIT.badData, `${shown} could not be unpacked: ${reason(error)}`);
        }
      }
      const inside = unpackedHead(path);
      // A text has to fit into memory; an archive or a capture does not.
      const large = looksLikeTar(inside) || isCapture(inside);
      return {
        packed,
        content: unpackToFile(path, shown, large ? limits.unpackedOnDisk : Math.max(1, budget.remaining)),
      };
    }
    if (looksLikeTar(head) && size > limits.unpackedInMemory) {
      left = false;
      return { packed, content: { fd, from: 0, length: size } };
    }
    if (size > limits.fileBytes) throw new Failure(EXIT.badData, `${shown} is larger than ${inMiB(limits.fileBytes)}`);
    return { packed, content: readFileSync(fd) };
  } finally {
    if (left) closeSync(fd);
  }
}

export const sourceOf = (content: Content): TarSource =>
  Buffer.isBuffer(content) ? inMemory(content) : onDisk(content);

export const headOf = (content: Content): Uint8Array => sourceOf(content).slice(0, 512);

/** One file, from memory or out of the middle of an archive. */
export function inputOf(shown: string, content: Content): CaseInput {
  if (Buffer.isBuffer(content)) return decode(shown, content);
  return captureIn(content, shown) ?? decode(shown, onDisk(content).slice(0, content.length));
}

export const partOf = (content: Content, from: number, length: number): Content =>
  Buffer.isBuffer(content)
    ? content.subarray(from, from + length)
    : { fd: content.fd, from: content.from + from, length };
