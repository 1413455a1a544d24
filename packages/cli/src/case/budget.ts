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
      throw new Failure(
        EXIT.badData,
        `the case lists more than ${this.limits.entries} files; give the part that matters`,
      );
    }
  }

  /** A file that is read. */
  file(path: string, bytes: number): void {
    if (++this.#files > this.limits.files) {
      throw new Failure(EXIT.badData, `the case has more than ${this.limits.files} files; give the files that matter`);
    }
    if (bytes > this.limits.fileBytes) {
      throw new Failure(
        EXIT.badData,
        `${path} is larger than ${inMiB(this.limits.fileBytes)}; give the part that matters`,
      );
    }
    this.#bytes += bytes;
    if (this.#bytes > this.limits.totalBytes) {
      throw new Failure(
        EXIT.badData,
        `the case is larger than ${inMiB(this.limits.totalBytes)} in all; give the files that matter`,
      );
    }
  }

  get remaining(): number {
    return this.limits.totalBytes - this.#bytes;
  }
}
