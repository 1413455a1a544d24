import type { Origin } from "../../../model/index.ts";
import { type Word, WordCursor } from "../words.ts";
import type { UnknownCommand } from "./command.ts";

/** A typed command while it is read: the words, and where the object's own begin. */
export interface Typed {
  readonly words: readonly string[];
  readonly first: number;
  readonly origin: Origin;
}

/** Columns of this cursor are indices into the command's words. */
export function cursorFrom(typed: Typed, skip = 0): WordCursor {
  const words: Word[] = typed.words.slice(typed.first + skip).map((text, i) => ({
    text,
    column: typed.first + skip + i,
  }));
  return new WordCursor(words);
}

export const refuse = (typed: Typed, reason: string, cursor?: WordCursor): UnknownCommand => ({
  kind: "unknown",
  words: typed.words,
  reason,
  ...(cursor === undefined ? {} : { word: cursor.column }),
  origin: typed.origin,
});

/** matches() of iproute2: the first word of the list that `text` is a prefix of, exact ones before all. */
export function resolve(text: string | undefined, whole: readonly string[]): string | undefined {
  if (text === undefined || text === "") return undefined;
  return whole.includes(text) ? text : whole.find((w) => w.startsWith(text));
}
