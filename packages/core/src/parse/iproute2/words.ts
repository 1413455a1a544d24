/** A word of a line and the column it starts at (from 0), so that carets can point to it. */
export interface Word {
  readonly text: string;
  readonly column: number;
}

const isSpace = (c: number): boolean => c === 32 || (c >= 9 && c <= 13);

export function wordsOf(line: string, offset = 0): Word[] {
  const words: Word[] = [];
  const to = line.length;
  let i = 0;
  while (i < to) {
    while (i < to && isSpace(line.charCodeAt(i))) i++;
    const start = i;
    while (i < to && !isSpace(line.charCodeAt(i))) i++;
    if (i > start) words.push({ text: line.slice(start, i), column: start + offset });
  }
  return words;
}

/** Takes off the escape sequences of `ip -c`. */
export function plain(line: string): string {
  return line.includes("\u001b") ? line.replace(/\u001b\[[0-9;]{0,32}[mK]/g, "") : line;
}

/** One word after the other, never past the end. */
export class WordCursor {
  #at = 0;
  readonly words: readonly Word[];
  constructor(words: readonly Word[]) {
    this.words = words;
  }
  get done(): boolean {
    return this.#at >= this.words.length;
  }
  get position(): number {
    return this.#at;
  }
  peek(ahead = 0): string | undefined {
    return this.words[this.#at + ahead]?.text;
  }
  take(): string | undefined {
    return this.words[this.#at++]?.text;
  }
  /** Takes the next word if it is this one. */
  accept(word: string): boolean {
    if (this.peek() !== word) return false;
    this.#at++;
    return true;
  }
  /** Column of the word last taken, or of the end. */
  get column(): number {
    const word = this.words[Math.min(this.#at, this.words.length) - 1];
    return word === undefined ? 0 : word.column;
  }
  get length(): number {
    return this.words[Math.min(this.#at, this.words.length) - 1]?.text.length ?? 1;
  }
}

/** An unsigned number as the tools print and take it: decimal, or hexadecimal with 0x. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return /^0[xX][0-9a-fA-F]{1,12}$/.test(text) ? Number.parseInt(text.slice(2), 16) : undefined;
}
