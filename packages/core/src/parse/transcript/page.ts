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

export function pageOf(file: string, text: string, before = 0): Page {
  const texts = splitLines(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  return {
    file,
    texts,
    before,
    shifts: undefined,
    frame: new Uint8Array(texts.length),
    blocks: new Int32Array(texts.length),
    blockCount: 0,
  };
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
