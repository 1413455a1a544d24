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

/**
 * A command for people to paste that only reads something: its fixed text, and words out of dumps, each one word for the shell
 * whatever is in it. A name that reads as an option, or holds what no terminal takes as text, is told with a `?` there: the
 * command then finds nothing, and runs nothing else.
 */
export function shell(fixed: TemplateStringsArray, ...words: readonly (string | number | readonly string[])[]): string {
  const spoken = (word: string): string =>
    shellWord(word.replace(/^[-!]/, "?").replaceAll(new RegExp(CONTROL.source, "g"), "?"));
  return fixed
    .map((text, i) => {
      const put = words[i];
      if (put === undefined) return text;
      return text + (typeof put === "object" ? put.map(spoken).join(" ") : spoken(String(put)));
    })
    .join("");
}

/** What a shell takes as it stands, in quotes or out of them. */
const AS_TYPED = /^(?:[\w@%+:,./= &|;<>-]|! |'[^'\0-\x1f\x7f-\x9f]*'|"[\w@%+:,./= '&|;<>()-]*")*$/;

/** A command as somebody typed it, its words quoted anew where a shell would make more of them than was read. */
export const retyped = (
  command: string,
  words: readonly { readonly text: string; readonly operator?: true }[],
): string => (AS_TYPED.test(command) ? command : words.map((w) => (w.operator ? w.text : shellWord(w.text))).join(" "));
