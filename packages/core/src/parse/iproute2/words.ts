/** A word of a line and the column it starts at (from 0), so that carets can point to it. */
export interface Word {
  readonly text: string;
  readonly column: number;
}

const isSpace = (c: number): boolean => c === 32 || (c >= 9 && c <= 13);

/** Splits at blanks. A backslash that stands for a line end (`ip -o`) is a word of its own kind and is skipped. */
export function wordsOf(line: string, from = 0, to = line.length): Word[] {
  const words: Word[] = [];
  let i = from;
  while (i < to) {
    while (i < to && isSpace(line.charCodeAt(i))) i++;
    const start = i;
    while (i < to && !isSpace(line.charCodeAt(i))) i++;
    if (i > start) words.push({ text: line.slice(start, i), column: start });
  }
  return words;
}

/** Takes off the escape sequences of `ip -c`: CSI … m. */
export function plain(line: string): string {
  return line.includes("\u001b") ? line.replace(/\u001b\[[0-9;]{0,32}[mK]/g, "") : line;
}

/** A cursor over words that never runs past the end. */
export class WordCursor {
  #at = 0;
  readonly words: readonly Word[];
  constructor(words: readonly Word[]) {
    this.words = words;
  }
  peek(ahead = 0): string | undefined {
    return this.words[this.#at + ahead]?.text;
  }
  /** The word last taken, for diagnostics. */
  get last(): Word | undefined {
    return this.words[this.#at - 1];
  }
  take(): string | undefined {
    return this.words[this.#at++]?.text;
  }
  get done(): boolean {
    return this.#at >= this.words.length;
  }
  /** Takes the next word if it is this one. */
  accept(word: string): boolean {
    if (this.peek() !== word) return false;
    this.#at++;
    return true;
  }
}

/** A plain decimal, octal-free unsigned number up to 2^53, or hexadecimal with 0x. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return /^0[xX][0-9a-fA-F]{1,12}$/.test(text) ? Number.parseInt(text.slice(2), 16) : undefined;
}
