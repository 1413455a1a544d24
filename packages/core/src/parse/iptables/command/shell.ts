import type { Words } from "../rule/words.ts";

/** One simple command of a shell line, redirections left out. */
export interface ShellCommand {
  readonly words: Words;
  /** What joins it to the one before: `;`, `&&`, `||`, `|`, or nothing. */
  readonly after: string;
}

const BLANK = new Set([32, 9]);
const OPERATORS = new Set([59, 38, 124]); // ; & |

/**
 * Splits as sh(1) does for what people paste: quotes, backslashes, `;`, `&&`, `||`, `|`, comments. Nothing is
 * expanded: `$VAR` stays as it is.
 */
export function shellCommands(line: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let texts: string[] = [];
  let starts: number[] = [];
  let ends: number[] = [];
  let after = "";
  const finish = (operator: string): void => {
    if (texts.length > 0) commands.push({ words: withoutRedirections({ line, texts, starts, ends }), after });
    texts = [];
    starts = [];
    ends = [];
    after = operator;
  };
  let i = 0;
  while (i < line.length) {
    const c = line.charCodeAt(i);
    if (BLANK.has(c)) i++;
    else if (c === 35) break;
    else if (OPERATORS.has(c) && !isRedirection(line, i)) {
      const twice = line.charCodeAt(i + 1) === c;
      finish(twice ? line.slice(i, i + 2) : line[i]!);
      i += twice ? 2 : 1;
    } else {
      const start = i;
      let text = "";
      while (i < line.length) {
        const d = line.charCodeAt(i);
        if (d === 39 || d === 34) {
          const close = closing(line, i, d);
          const inner = line.slice(i + 1, close);
          text += d === 34 ? inner.replace(/\\(["\\$`])/g, "$1") : inner;
          i = close + 1;
        } else if (d === 92) {
          text += line[i + 1] ?? "";
          i += 2;
        } else if (BLANK.has(d) || (OPERATORS.has(d) && !isRedirection(line, i))) break;
        else {
          text += line[i];
          i++;
        }
      }
      texts.push(text);
      starts.push(start);
      ends.push(Math.min(i, line.length));
    }
  }
  finish("");
  return commands;
}

/** The ampersand of `2>&1` and `&>file`. */
const isRedirection = (line: string, at: number): boolean =>
  line.charCodeAt(at) === 38 && (line.charCodeAt(at - 1) === 62 || line.charCodeAt(at + 1) === 62);

function closing(line: string, open: number, quote: number): number {
  for (let i = open + 1; i < line.length; i++) {
    const c = line.charCodeAt(i);
    if (c === 92 && quote === 34) i++;
    else if (c === quote) return i;
  }
  return line.length;
}

/** `2>/dev/null`, `> file`, `2>&1`, `&>x`. */
function withoutRedirections(words: Words): Words {
  const keep: number[] = [];
  for (let i = 0; i < words.texts.length; i++) {
    const raw = words.line.slice(words.starts[i], words.ends[i]);
    const redirection = /^(?:\d?|&)(?:>>?|<)(.*)$/.exec(raw);
    if (redirection === null) keep.push(i);
    else if (redirection[1] === "") i++;
  }
  if (keep.length === words.texts.length) return words;
  return {
    line: words.line,
    texts: keep.map((i) => words.texts[i]!),
    starts: keep.map((i) => words.starts[i]!),
    ends: keep.map((i) => words.ends[i]!),
  };
}
