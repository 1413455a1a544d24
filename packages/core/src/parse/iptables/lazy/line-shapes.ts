import { isSaid, type Numbering, ownWords, type Pieces, saidIn } from "./own-words.ts";

/** So many are looked for behind a line before it is taken to pieces. */
const TRIED = 4;

/**
 * What lines say under numbers, each as a number of its own. Of ten thousand Services nearly all say the same: behind a line comes what came
 * behind it the last time, and whether it did is seen without a string being made.
 */
export class LineShapes {
  readonly #numbers = new Map<string, number>();
  readonly #said: string[] = [];
  readonly #pieces: Pieces[] = [];
  /** Behind which line which were met, the last one first. */
  readonly #behind = new Map<number, number[]>();

  /** The number of what the line from `begin` to before `end` says, which stands behind the one of number `before`. */
  of(text: string, begin: number, end: number, numbering: Numbering, before: number): number {
    let tried = this.#behind.get(before);
    if (tried === undefined) {
      tried = [];
      this.#behind.set(before, tried);
    }
    for (let i = 0; i < tried.length; i++) {
      const number = tried[i]!;
      if (!isSaid(this.#pieces[number]!, text, begin, end, numbering)) continue;
      if (i > 0) toFront(tried, i);
      return number;
    }
    const number = this.#numbered(ownWords(text, begin, end, numbering));
    if (!tried.includes(number)) {
      tried.unshift(number);
      if (tried.length > TRIED) tried.pop();
    }
    return number;
  }

  #numbered(pieces: Pieces): number {
    const said = saidIn(pieces);
    let number = this.#numbers.get(said);
    if (number === undefined) {
      number = this.#said.push(said) - 1;
      this.#pieces.push(pieces);
      this.#numbers.set(said, number);
    }
    return number;
  }

  said(number: number): string {
    return this.#said[number]!;
  }
}

function toFront(list: number[], at: number): void {
  const one = list[at]!;
  for (let i = at; i > 0; i--) list[i] = list[i - 1]!;
  list[0] = one;
}
