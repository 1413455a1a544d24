import type { CaseInput } from "../parse/index.ts";

/** Gives the text of a line of the case, where it is known. */
export type Quote = (file: string, line: number) => string | undefined;

/** The text of a line of the case, counted from 1. */
export function quoteLine(inputs: readonly CaseInput[], file: string, line: number): string | undefined {
  const text = inputs.find((i) => i.path === file)?.text;
  if (text === undefined) return undefined;
  let at = 0;
  for (let n = 1; n < line; n++) {
    at = text.indexOf("\n", at) + 1;
    if (at === 0) return undefined;
  }
  const end = text.indexOf("\n", at);
  return text.slice(at, end < 0 ? undefined : end).replace(/\r$/, "");
}
