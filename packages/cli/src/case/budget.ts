import { EXIT, Failure } from "../exit-status.ts";
import { inMiB, type Limits } from "./limits.ts";

/** Counts files and bytes of a case while it is read and stops at the bounds with a message that names them. */
export class Budget {
  #files = 0;
  #bytes = 0;
  readonly limits: Limits;

  constructor(limits: Limits) {
    this.limits = limits;
  }

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
