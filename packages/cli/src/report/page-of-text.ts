import { columns, wrap } from "./layout.ts";
import { printable } from "./style.ts";

/** Labels take this much of the margin, in either language. */
const MARGIN = 9;
const plain = (text: string): string => text;

/** A screen of text: labels at the margin, everything else wrapped beside them. */
export class PageOfText {
  readonly #lines: string[] = [];
  readonly #width: number;
  readonly #labelled: (label: string) => string;
  readonly #named: (text: string) => string;

  /** `named`: puts the names of addresses beside them. */
  constructor(width: number, labelled: (label: string) => string, named: (text: string) => string = plain) {
    this.#width = width;
    this.#labelled = labelled;
    this.#named = named;
  }

  line(text = ""): this {
    this.#lines.push(text);
    return this;
  }

  /** Text from anywhere, wrapped, beside the label of its first line. Items of a list hang below their dash. */
  say(label: string, text: string, style: (text: string) => string = plain, indent = 0): this {
    const margin = MARGIN + indent;
    const hang = margin + (text.startsWith("- ") ? 2 : 0);
    const lines = wrap(printable(this.#named(text)), margin, hang, Math.max(40, this.#width));
    for (const [i, line] of lines.entries()) {
      const from = i === 0 ? margin : hang;
      this.#lines.push((i === 0 ? this.#label(label, margin) : " ".repeat(hang)) + style(line.slice(from)));
    }
    return this;
  }

  #label(label: string, margin: number): string {
    if (label === "") return " ".repeat(margin);
    return this.#labelled(label) + " ".repeat(Math.max(1, margin - columns(label)));
  }

  /** A line of a dump or a command: never wrapped, for it must be found or copied as it is. */
  quote(text: string, style: (text: string) => string = plain, indent = 2): this {
    this.#lines.push(" ".repeat(MARGIN + indent) + style(printable(text)));
    return this;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  toString(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}
