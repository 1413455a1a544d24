import { lineNumber, type Source, splitLines } from "../source.ts";

/**
 * A file laid out line by line: what each line says once gutters, quote marks and the indentation of a code block are
 * taken off, and in which block it stands. Kept as parallel arrays, for files can have hundreds of thousands of lines.
 */
export interface Page {
  readonly file: string;
  readonly texts: string[];
  /** Lines of the file that stand before the first of these. */
  readonly before: number;
  /** How many columns were taken from the start of a line; absent while none was. */
  shifts: number[] | undefined;
  /** Lines that only frame: fences, a column of line numbers. */
  readonly frame: Uint8Array;
  /** 0 is running text; every fenced, numbered or indented block has a number of its own. */
  readonly blocks: Int32Array;
  blockCount: number;
}

export const pageOf = (file: string, text: string | (() => string), before = 0): Page =>
  new TextPage(file, text, before);

const linesIn = (text: string): string[] => splitLines(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

/** Split into lines when somebody wants them: a large dump may be read without. */
class TextPage implements Page {
  readonly file: string;
  readonly before: number;
  shifts: number[] | undefined = undefined;
  blockCount = 0;
  readonly #text: string | (() => string);
  #texts: string[] | undefined;
  #frame: Uint8Array | undefined;
  #blocks: Int32Array | undefined;

  constructor(file: string, text: string | (() => string), before: number) {
    this.file = file;
    this.before = before;
    this.#text = text;
  }

  get texts(): string[] {
    this.#texts ??= linesIn(typeof this.#text === "string" ? this.#text : this.#text());
    return this.#texts;
  }

  get frame(): Uint8Array {
    this.#frame ??= new Uint8Array(this.texts.length);
    return this.#frame;
  }

  get blocks(): Int32Array {
    this.#blocks ??= new Int32Array(this.texts.length);
    return this.#blocks;
  }
}

export function replaceLine(page: Page, index: number, text: string, taken: number): void {
  page.texts[index] = text;
  if (taken === 0) return;
  page.shifts ??= new Array<number>(page.texts.length).fill(0);
  page.shifts[index]! += taken;
}

export const isBlank = (text: string): boolean => text.trim() === "";

/** The chosen lines of a page as a source for a reader; consecutive ones need no list of numbers. */
export function sourceFrom(page: Page, indices: readonly number[], texts?: readonly string[]): Source {
  const first = indices[0] ?? 0;
  const last = indices[indices.length - 1] ?? 0;
  const consecutive = last - first + 1 === indices.length;
  const all = consecutive && indices.length === page.texts.length;
  const shifts = page.shifts;
  return {
    file: page.file,
    lines: texts ?? (all ? page.texts : indices.map((i) => page.texts[i]!)),
    firstLine: page.before + first + 1,
    ...(consecutive ? {} : { numbers: indices.map((i) => page.before + i + 1) }),
    ...(shifts === undefined ? {} : { shift: indices.map((i) => shifts[i]!) }),
  };
}

export const lastLine = (source: Source): number => lineNumber(source, Math.max(0, source.lines.length - 1));
