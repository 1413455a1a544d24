import { printable } from "@hairpin/core/messages/printable.ts";

/** Nobody wonders before. */
const PATIENCE_MS = 500;
const BETWEEN_MS = { terminal: 100, log: 5000 } as const;

/** How far a long reading is, on standard error: in place on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #what: string;
  readonly #terminal = process.stderr.isTTY === true;
  #next = Date.now() + PATIENCE_MS;
  #shown = false;

  constructor(what: string) {
    this.#what = printable(what);
  }

  /** `part` of 1, if that is known. */
  at(done: number, of: number | undefined): void {
    const now = Date.now();
    if (now < this.#next) return;
    this.#next = now + (this.#terminal ? BETWEEN_MS.terminal : BETWEEN_MS.log);
    const part = of === undefined || of === 0 ? `${Math.round(done / 1e6)} MB` : `${Math.floor((100 * done) / of)} %`;
    process.stderr.write(this.#terminal ? `\r${this.#what}: ${part}` : `${this.#what}: ${part}\n`);
    this.#shown = true;
  }

  end(): void {
    if (this.#shown && this.#terminal) process.stderr.write("\r\u001b[K");
  }
}
