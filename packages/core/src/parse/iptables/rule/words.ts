/** A line taken apart, with the columns of each word, so that diagnostics can point at it. */
export interface Words {
  readonly line: string;
  readonly texts: readonly string[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The words are not those of the line but were made from it. */
  readonly made?: boolean;
}

export const rawWord = (words: Words, index: number): string =>
  words.made ? (words.texts[index] ?? "") : words.line.slice(words.starts[index], words.ends[index]);

const SPACE = 32;
const TAB = 9;
const QUOTE = 34;
const BACKSLASH = 92;

/** As iptables-restore splits a line (add_param_to_argv): double quotes, and backslash inside them. */
export function splitWords(line: string, from = 0): Words {
  const texts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const length = line.length;
  let i = from;
  while (i < length) {
    const c = line.charCodeAt(i);
    if (c === SPACE || c === TAB) {
      i++;
      continue;
    }
    const start = i;
    let text = "";
    let piece = i;
    let open = false;
    for (; i < length; i++) {
      const d = line.charCodeAt(i);
      if (open) {
        if (d === BACKSLASH && i + 1 < length) {
          text += line.slice(piece, i);
          piece = ++i;
        } else if (d === QUOTE) {
          text += line.slice(piece, i);
          piece = i + 1;
          open = false;
          // A closing quote ends the word, whatever follows.
          i++;
          break;
        }
      } else if (d === QUOTE) {
        text += line.slice(piece, i);
        piece = i + 1;
        open = true;
      } else if (d === SPACE || d === TAB) break;
    }
    if (piece < i) text += line.slice(piece, i);
    texts.push(text);
    starts.push(start);
    ends.push(i);
  }
  return { line, texts, starts, ends };
}
