export const WIDTH = 80;

/** Characters that take two columns: East Asian wide and full-width ones, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;

export const columns = (text: string): number => {
  let width = 0;
  for (const char of text) width += WIDE.test(char) ? 2 : 1;
  return width;
};

/** Pieces of a word that fit a width: a path can be longer than a line. */
function pieces(word: string, width: number): readonly string[] {
  if (columns(word) <= width) return [word];
  const parts: string[] = [];
  let part = "";
  for (const char of word) {
    if (columns(part) + columns(char) > width) {
      parts.push(part);
      part = "";
    }
    part += char;
  }
  return [...parts, part];
}

/** Breaks at blanks, and inside a word only where it is longer than a line. Every line but the first is indented by `hang`. */
export function wrap(text: string, indent: number, hang = indent, width = WIDTH): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let margin = indent;
  for (const word of text.split(" ").flatMap((w) => pieces(w, width - Math.max(indent, hang)))) {
    if (line !== "" && margin + columns(line) + 1 + columns(word) > width) {
      lines.push(" ".repeat(margin) + line);
      line = word;
      margin = hang;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(" ".repeat(margin) + line);
  return lines;
}

export interface Quoted {
  readonly text: string;
  readonly caret: string;
}

/** A line of a dump with carets below it, cut so that what they point to is seen. */
export function quote(text: string, column: number, length: number, width: number): Quoted {
  const chars = [...text];
  const at = Math.min(Math.max(0, column - 1), chars.length);
  let from = 0;
  if (columns(text) > width && at + length > width - 4) from = Math.max(0, Math.min(at - 12, chars.length - 1));
  let shown = from > 0 ? "…" : "";
  let pad = columns(shown);
  let i = from;
  for (; i < chars.length; i++) {
    const w = columns(chars[i]!);
    if (columns(shown) + w > width - (i < chars.length - 1 ? 1 : 0)) break;
    if (i < at) pad += w;
    shown += chars[i];
  }
  if (i < chars.length) shown += "…";
  const marks = Math.max(1, Math.min(length, width - pad));
  return { text: shown, caret: pad < width ? " ".repeat(pad) + "^".repeat(marks) : "" };
}

/** Cuts to a width, with an ellipsis where something was cut. */
export function clip(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let shown = "";
  let used = 0;
  for (const char of text) {
    const w = columns(char);
    if (used + w > width - 1) break;
    shown += char;
    used += w;
  }
  return `${shown}…`;
}

/** Cuts out of the middle: of a name with its port either end tells it from others. */
export function clipMiddle(text: string, width: number): string {
  if (columns(text) <= width) return text;
  const tail = Math.floor((width - 1) / 2);
  const chars = [...text];
  let from = chars.length;
  let used = 0;
  while (from > 0 && used + columns(chars[from - 1]!) <= tail) used += columns(chars[--from]!);
  return clip(text, width - used) + chars.slice(from).join("");
}

/** A command over several lines, as a shell goes on reading it: broken at blanks that no quote holds. */
export function wrapCommand(command: string, indent: number, width: number): readonly string[] {
  const words = command.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|["'])+/g) ?? [];
  const lines: string[] = [];
  let line = " ".repeat(indent);
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && columns(line) + 1 + columns(word) > width - 2) {
      lines.push(`${line} \\`);
      line = " ".repeat(indent + 2) + word;
    } else line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - columns(text)));

const CODE = /(\u001b\[[0-9;]*m)/;

/** The same of a line with colours: they take no room, and are ended where the text is cut. */
export function clipStyled(line: string, width: number): string {
  const parts = line.split(CODE);
  if (columns(parts.filter((_, i) => i % 2 === 0).join("")) <= width) return line;
  let left = width;
  let isCut = false;
  return parts
    .map((part, i) => {
      if (i % 2 === 1) return part;
      if (isCut) return "";
      if (columns(part) < left) {
        left -= columns(part);
        return part;
      }
      isCut = true;
      return left <= 1 ? "…" : clip(`${part}  `, left);
    })
    .join("");
}
