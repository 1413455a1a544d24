import type { CaseInput } from "../parse/index.ts";

/** Gives the text of a line of the case, where it is known. */
export type Quote = (file: string, line: number) => string | undefined;

/** Where every so many lines of a text begin, as far as it was read: a long walk quotes thousands of lines of one file. */
interface Index {
  readonly input: CaseInput;
  /** The beginning of lines 1, 1 + EVERY, 1 + 2 * EVERY … */
  readonly begins: number[];
}
const EVERY = 64;
const indices = new WeakMap<readonly CaseInput[], Map<string, Index>>();

function indexOf(inputs: readonly CaseInput[], file: string): Index | undefined {
  let known = indices.get(inputs);
  if (known === undefined) {
    known = new Map(inputs.map((input) => [input.path, { input, begins: [0] }]));
    indices.set(inputs, known);
  }
  return known.get(file);
}

/** No line that a person reads is longer: JSON on one line is a whole ruleset. */
const LONGEST = 600;

/** The text of a line of the case, counted from 1; of a very long one its beginning. */
export function quoteLine(inputs: readonly CaseInput[], file: string, line: number): string | undefined {
  const index = indexOf(inputs, file);
  if (index === undefined) return undefined;
  const { input, begins } = index;
  const { text } = input;
  if (text === undefined) return undefined;
  const from = Math.min(Math.floor((line - 1) / EVERY), begins.length - 1);
  let at = begins[from]!;
  for (let n = from * EVERY + 1; n < line; n++) {
    at = text.indexOf("\n", at) + 1;
    if (at === 0) return undefined;
    if (n % EVERY === 0 && n / EVERY === begins.length) begins.push(at);
  }
  const end = text.indexOf("\n", at);
  const to = end < 0 ? text.length : end;
  return to - at > LONGEST ? `${text.slice(at, at + LONGEST)}…` : text.slice(at, to).replace(/\r$/, "");
}
