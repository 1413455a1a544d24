import { shellLine } from "../../model/shell.ts";

/**
 * A command for one stack, as words: a name out of a dump stays the one word it is, whatever is in it. It becomes a line, quoted,
 * where it is printed.
 */
export interface StackCommand {
  /** Empty: of the cluster. */
  readonly stack: string;
  readonly words: readonly string[];
}

/** The words of a template: blanks of its own text part them, what is put in does not. */
export function argv(fixed: TemplateStringsArray, ...put: readonly (string | number)[]): readonly string[] {
  const words: string[] = [];
  let open = false;
  const add = (text: string): void => {
    if (open) words[words.length - 1] += text;
    else words.push(text);
    open = true;
  };
  for (const [i, text] of fixed.entries()) {
    for (const [j, part] of text.split(" ").entries()) {
      if (j > 0) open = false;
      if (part !== "") add(part);
    }
    const value = put[i];
    if (value !== undefined) add(String(value));
  }
  return words;
}

/** As one would type it, after the node it is for. Throws `Unspeakable` where no line can say it. */
export const commandLine = ({ stack, words }: StackCommand): string =>
  stack === "" ? shellLine(words) : `${stack}: ${shellLine(words)}`;
