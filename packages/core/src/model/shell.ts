/** A value of the World that no command may carry: names in dumps are whatever somebody wrote there. */
export class Unspeakable extends Error {}

const PLAIN = /^[A-Za-z0-9_@%+:,./=-]+$/;
/** What ends a line, or what a terminal takes for more than text: no quoting makes it safe to paste. */
const CONTROL = /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** One word as a shell takes it, whatever is in it. */
export function shellWord(word: string): string {
  if (CONTROL.test(word)) throw new Unspeakable("a name holds control characters");
  return PLAIN.test(word) || word === "!" ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(" ");

/** A name from a dump that stands as a value of its own: it must not read as an option or a negation. */
export function nameWord(name: string): string {
  if (name === "" || name.startsWith("-") || name.startsWith("!")) throw new Unspeakable(`the name "${name}"`);
  return name;
}
