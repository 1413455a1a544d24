import { text } from "@hairpin/core/messages/index.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { inMiB, type Limits } from "./limits.ts";

/** Counts files and bytes of a case while it is read and stops at the bounds with a message that names them. */
export class Budget {
  #entries = 0;
  #files = 0;
  #bytes = 0;
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

  /** A file that is read. */
  file(path: string, bytes: number): void {
    if (++this.#files > this.limits.files) {
      throw new Failure(EXIT.badData, text("error.too-many-files", { most: this.limits.files }));
    }
    if (bytes > this.limits.fileBytes) {
      throw new Failure(EXIT.badData, text("error.file-too-large", { path, most: inMiB(this.limits.fileBytes) }));
    }
    this.#bytes += bytes;
    if (this.#bytes > this.limits.totalBytes) {
      throw new Failure(EXIT.badData, text("error.case-too-large", { most: inMiB(this.limits.totalBytes) }));
    }
  }

  get remaining(): number {
    return this.limits.totalBytes - this.#bytes;
  }
}
