import type { Askable } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { type Sweep, type SweepProgress, sweep } from "@hairpin/core/sweep/index.ts";
import { html } from "../../html/html.ts";
import { sweepPart } from "../../sweep/matrix.ts";
import { SWEEP_MEASURES } from "../../sweep/report.ts";
import type { Swept } from "../protocol.ts";

/** Between two looks: other questions are answered there. */
const TURN_MS = 400;
/** What a page can hold and scroll. */
const MOST_MARKUP = 6 * 1_048_576;

/** A sweep that goes on a turn at a time. */
export class SweepOfPage {
  readonly #walking: Generator<SweepProgress, Sweep>;
  #known: (() => Sweep) | undefined;
  #at = { answered: 0, flows: 0 };
  #done = false;

  constructor(askable: Askable) {
    this.#walking = sweep(askable);
  }

  /** Goes on for a turn; with its end comes the matrix. */
  go(lang: Lang): Swept {
    const began = performance.now();
    while (!this.#done && performance.now() - began < TURN_MS) {
      const { done, value } = this.#walking.next();
      this.#done = done === true;
      this.#at = { answered: value.answered, flows: value.flows };
      this.#known = done === true ? () => value as Sweep : (value as SweepProgress).known;
    }
    return this.#done ? this.show(lang) : this.#at;
  }

  /** What is known so far. */
  show(lang: Lang): Swept {
    const found = this.#known?.();
    if (found === undefined || found.flows === 0)
      return { ...this.#at, html: html`<p><strong>${say(text("sweep.none"), lang)}</strong></p>`.text };
    let made = "";
    for (const measure of SWEEP_MEASURES) {
      made = sweepPart(found, { lang, measure }).text;
      if (made.length <= MOST_MARKUP) break;
    }
    return { ...this.#at, html: made };
  }
}
