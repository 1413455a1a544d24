import { figure, type Lang, text as message, say } from "@hairpin/core/messages/index.ts";
import { printable } from "@hairpin/core/messages/printable.ts";
import { clipStyled } from "../report/layout.ts";
import { flowsText } from "../report/sweep/counted.ts";

/** Nobody wonders before. */
const PATIENCE_MS = 1000;
/** Of the first flows each is a class of its own: what they took says little of the others. */
const TELLING = { share: 0.02, ms: 60_000 } as const;
/** What is said beside it has room on 80 columns. */
const TITLE_COLUMNS = 32;
const BETWEEN_MS = { terminal: 200, log: 10_000 } as const;

/** How far a sweep is and about how long it will take, on standard error. */
export class SweepProgressLine {
  readonly #title: string;
  readonly #began: number;
  readonly #lang: Lang;
  readonly #terminal = process.stderr.isTTY === true;
  #next: number;
  #shown = false;

  constructor(title: string, began: number, lang: Lang) {
    this.#lang = lang;
    this.#title = this.#terminal ? clipStyled(printable(title), TITLE_COLUMNS) : printable(title);
    this.#began = began;
    this.#next = began + PATIENCE_MS;
  }

  at(answered: number, flows: number): void {
    const now = Date.now();
    if (now < this.#next) return;
    this.#next = now + (this.#terminal ? BETWEEN_MS.terminal : BETWEEN_MS.log);
    const took = now - this.#began;
    const far = { title: this.#title, answered: figure(answered), flows: flowsText(flows, this.#lang) };
    const seconds = Math.ceil((took / 1000) * ((flows - answered) / Math.max(1, answered)));
    const isTelling = answered >= flows * TELLING.share || took >= TELLING.ms;
    const text = say(isTelling ? message("sweep.left", { ...far, seconds }) : message("sweep.so-far", far), this.#lang);
    // Who takes two lines can take back but one.
    const clipped = clipStyled(text, (process.stderr.columns || 80) - 1);
    process.stderr.write(this.#terminal ? `\r\u001b[K${clipped}` : `${text}\n`);
    this.#shown = true;
  }

  end(): void {
    if (this.#shown && this.#terminal) process.stderr.write("\r\u001b[K");
  }
}
