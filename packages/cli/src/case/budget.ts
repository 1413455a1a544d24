import { text } from "@hairpin/core/messages/index.ts";
import { ReadBefore, SharedTexts } from "@hairpin/core/parse/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { inMiB, type Limits } from "./limits.ts";

/** All of a case together is. */
export class CaseTooLarge extends Failure {}

const tooLarge = (most: number): Failure =>
  new CaseTooLarge(EXIT.badData, text("error.case-too-large", { most: inMiB(most) }));

/** Reading for a sweep: what the rules of many nodes have in common is kept once, and no more of it than a case may have. */
export function readingOnce(limits: Limits): ReadBefore {
  let kept = 0;
  const shared = new SharedTexts((characters) => {
    kept += characters;
    if (kept > limits.totalBytes) throw tooLarge(limits.totalBytes);
  });
  return new ReadBefore({ shared, large: 1 << 14 });
}

/** Counts files and bytes of a case while it is read and stops at the bounds with a message that names them. */
export class Budget {
  #entries = 0;
  #files = 0;
  #bytes = 0;
  #streamed = 0;
  readonly limits: Limits;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** A file that is listed somewhere. */
  entry(): void {
    if (++this.#entries > this.limits.entries) {
      throw new Failure(EXIT.badData, text("error.too-many-listed", { most: this.limits.entries }));
    }
  }

  /** A file that is read and not kept. */
  streamed(path: string, bytes: number): void {
    this.file(path, 0);
    this.#fits(path, bytes);
    this.#streamed += bytes;
    if (this.#streamed > this.limits.streamedBytes) throw tooLarge(this.limits.streamedBytes);
  }

  #fits(path: string, bytes: number): void {
    if (bytes > this.limits.fileBytes) {
      throw new Failure(EXIT.badData, text("error.file-too-large", { path, most: inMiB(this.limits.fileBytes) }));
    }
  }

  /** A file that is read. */
  file(path: string, bytes: number): void {
    if (++this.#files > this.limits.files) {
      throw new Failure(EXIT.badData, text("error.too-many-files", { most: this.limits.files }));
    }
    this.#fits(path, bytes);
    this.#bytes += bytes;
    if (this.#bytes > this.limits.totalBytes) throw tooLarge(this.limits.totalBytes);
  }

  get remaining(): number {
    return this.limits.totalBytes - this.#bytes;
  }
}
