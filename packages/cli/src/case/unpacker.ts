import { gunzipSync } from "node:zlib";
import { BadBundle } from "@hairpin/case/bundle/bad-bundle.ts";
import { isArchive, type Opening } from "@hairpin/case/bundle/open.ts";
import { type ByteSource, inMemory, piecesOf, wholeOf } from "@hairpin/case/bundle/source.ts";
import { isCapture } from "@hairpin/case/bundle/tar.ts";
import { type Packing, UNPACKERS } from "@hairpin/case/bundle/unpack/packing.ts";
import { text } from "@hairpin/core/messages/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import type { Budget } from "./budget.ts";
import type { Limits } from "./limits.ts";
import { Progress } from "./progress.ts";
import { gunzipToDisk, piecesToDisk, tooMuch } from "./spool.ts";

const HEAD = 512;

/** Unpacks into memory while it is little, else onto the disk, never more of either than the bounds say for the whole case. */
export class Unpacker implements Opening {
  readonly #budget: Budget;
  #memory: number;
  #disk: number;

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#memory = budget.limits.unpackedInMemory;
    this.#disk = budget.limits.unpackedOnDisk;
  }

  get limits(): Limits {
    return this.#budget.limits;
  }

  entry(): void {
    this.#budget.entry();
  }

  unpack(name: string, packing: Packing, packed: ByteSource, kept: boolean, path?: string): ByteSource {
    const fast = packing === "gzip" ? this.#byZlib(packed, kept) : undefined;
    if (fast !== undefined) return fast;
    const progress = new Progress(`unpacking ${name}`);
    try {
      const pieces = UNPACKERS[packing](piecesOf(packed, (done) => progress.at(done, packed.length)));
      const all: Uint8Array[] = [];
      let size = 0;
      let most = 0;
      for (const piece of pieces) {
        all.push(piece);
        const first = size < HEAD;
        size += piece.length;
        if (first) most = this.#most(joined(all));
        if (size > most) throw tooMuch(name, most);
        // A text has to fit into memory once it is read; an archive or a capture does not.
        if (size > this.#memory && (kept || size > this.limits.unpackedInMemory)) {
          if (packing === "gzip" && path !== undefined) return this.#counted(gunzipToDisk(path, name, most));
          return this.#counted(piecesToDisk(followed(all, pieces), name, most));
        }
      }
      if (kept) this.#memory -= size;
      return inMemory(joined(all));
    } catch (error) {
      if (error instanceof BadBundle) throw new BadBundle(text("error.not-unpacked", { name, why: [...error.lines] }));
      throw error;
    } finally {
      progress.end();
    }
  }

  /** What begins so may become so large. */
  #most(head: Uint8Array): number {
    const large = isArchive(head) || isCapture(head);
    // Without room on the disk, what memory has.
    return large ? Math.max(this.#disk, this.#memory) : Math.max(1, this.#budget.remaining);
  }

  #counted(onDisk: ByteSource): ByteSource {
    this.#disk -= onDisk.length;
    return onDisk;
  }

  /** zlib is several times faster; it wants all in memory at once. */
  #byZlib(packed: ByteSource, kept: boolean): ByteSource | undefined {
    const room = Math.min(this.#memory, Math.max(1, this.#budget.remaining));
    if (packed.length > room) return undefined;
    try {
      const plain = gunzipSync(wholeOf(packed), { maxOutputLength: room });
      if (kept) this.#memory -= plain.length;
      return inMemory(plain);
    } catch {
      return undefined;
    }
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

function* followed(first: readonly Uint8Array[], rest: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield* first;
  yield* rest;
}

/** A bundle that cannot be read ends the command, whatever it is that found out. */
export function orFailure<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof BadBundle ? new Failure(EXIT.badData, error.lines) : error;
  }
}
