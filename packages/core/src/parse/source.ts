import { type ReadOrigin, read } from "../model/index.ts";

/**
 * A run of lines of one file: what a dialect reader is given. A transcript is cut into several of them; lines keep
 * the numbers they have in the file. `text` of a line is what the tool printed: gutters and prompts are already off,
 * and `shift` says how many columns were taken from its start, so that carets point into the file.
 */
export interface Source {
  readonly file: string;
  readonly lines: readonly string[];
  /** File line number of lines[i]; absent when they are consecutive from `firstLine`. */
  readonly numbers?: readonly number[];
  readonly firstLine: number;
  readonly shift?: readonly number[];
}

export const sourceOf = (file: string, text: string): Source => ({ file, lines: splitLines(text), firstLine: 1 });

/** Splits at \n, \r\n and \r; a final line end makes no empty last line. */
export function splitLines(text: string): string[] {
  const lines = text.includes("\r") ? text.split(/\r\n|\n|\r/) : text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

export const lineNumber = (source: Source, index: number): number =>
  source.numbers?.[index] ?? source.firstLine + index;

export const originAt = (source: Source, index: number): ReadOrigin => read(source.file, lineNumber(source, index));
