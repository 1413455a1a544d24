import { type ReadOrigin, read } from "../../model/index.ts";
import { type Diagnostic, diagnose, type Severity } from "../diagnostic.ts";
import type { DumpContext } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import { lineNumber, type Source } from "../source.ts";
import { plain, type Word, wordsOf } from "./words.ts";

/** A line as the tool meant it: `ip -o` prints a backslash where it would have ended the line. */
export interface LogicalLine {
  readonly text: string;
  /** Index into the source's lines. */
  readonly index: number;
  /** Column its text starts at. */
  readonly column: number;
  /** A continuation made by a backslash. */
  readonly continued: boolean;
}

export function* logicalLines(source: Source): Generator<LogicalLine> {
  for (let index = 0; index < source.lines.length; index++) {
    const text = plain(source.lines[index]!);
    if (!text.includes("\\")) {
      yield { text, index, column: 0, continued: false };
      continue;
    }
    let start = 0;
    for (let i = text.indexOf("\\"); i >= 0; i = text.indexOf("\\", i + 1)) {
      const next = text.charCodeAt(i + 1);
      if (next !== 32 && next !== 9 && i + 1 !== text.length) continue;
      yield { text: text.slice(start, i), index, column: start, continued: start > 0 };
      start = i + 1;
    }
    if (start < text.length || start === 0)
      yield { text: text.slice(start), index, column: start, continued: start > 0 };
  }
}

export const isBlank = (text: string): boolean => text.trim() === "";

/** What the tools say when there is nothing or something went wrong. */
const TOOL_MESSAGE =
  /^(RTNETLINK answers: |Error: |Dump terminated|Dump was interrupted|Cannot find device |Device "|Cannot open network namespace|Command failed |Object ")/;
export const isToolMessage = (text: string): boolean => TOOL_MESSAGE.test(text.slice(0, 80));

/** Hands on each line that says something. True: something was left out between them. */
export function eachEntry(source: Source, take: (line: LogicalLine) => void): boolean {
  let elided = false;
  for (const line of logicalLines(source)) {
    if (isBlank(line.text) || isToolMessage(line.text)) continue;
    if (isEllipsis(line.text)) elided = true;
    else take(line);
  }
  return elided;
}

/** A line that is wrong in more places than this is damaged: one more caret would tell nobody anything. */
const PER_LINE = 4;

/** Collects diagnostics for one dialect, whose id is the prefix of every code. */
export class Complaints {
  readonly list: Diagnostic[] = [];
  #line = -1;
  #onLine = 0;
  readonly #source: Source;
  readonly #dialect: string;
  constructor(source: Source, dialect: string) {
    this.#source = source;
    this.#dialect = dialect;
  }
  at(line: LogicalLine, column: number, length: number, code: string, message: string, severity: Severity = "error") {
    this.#onLine = line.index === this.#line ? this.#onLine + 1 : 1;
    this.#line = line.index;
    if (this.#onLine > PER_LINE) return;
    this.list.push(
      diagnose(this.#source, line.index, column, `${this.#dialect}-${code}`, message, {
        severity,
        length: Math.max(1, length),
      }),
    );
  }
  /** Something was there that nothing was taken from: the listing is not whole. */
  get lost(): boolean {
    return this.list.some((d) => d.severity === "error");
  }
  notUnderstood(line: LogicalLine, message: string): void {
    const column = line.column + (line.text.length - line.text.trimStart().length);
    this.at(line, column, line.text.trim().length, "not-understood", message);
  }
}

export const originOf = (source: Source, line: LogicalLine): ReadOrigin =>
  read(source.file, lineNumber(source, line.index));

export const wordsIn = (line: LogicalLine): Word[] => wordsOf(line.text, line.column);

/** A dump the context calls filtered proves nothing by what it lacks. */
export const isPartial = (context: DumpContext): boolean => context.partial !== undefined;

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
