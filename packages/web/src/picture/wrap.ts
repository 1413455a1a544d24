/** Columns a text takes in a fixed-width font: East Asian characters take two. */
export const columns = (text: string): number => {
  let n = 0;
  for (const char of text) n += char.codePointAt(0)! >= 0x2e80 ? 2 : 1;
  return n;
};

/** Breaks at blanks, inside a word only where it is longer than a line; what exceeds `lines` is cut with an ellipsis. */
export function wrapText(text: string, width: number, lines: number): readonly string[] {
  const out: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((w) => w !== "")) {
    if (line !== "" && columns(line) + 1 + columns(word) > width) {
      out.push(line);
      line = "";
    }
    let rest = line === "" ? word : `${line} ${word}`;
    while (columns(rest) > width) {
      const cut = cutAt(rest, width);
      out.push(rest.slice(0, cut));
      rest = rest.slice(cut);
      if (out.length > lines) break;
    }
    line = rest;
    if (out.length > lines) break;
  }
  if (line !== "") out.push(line);
  if (out.length <= lines) return out;
  const last = out[lines - 1]!;
  return [...out.slice(0, lines - 1), `${last.slice(0, cutAt(last, width - 1))}…`];
}

function cutAt(text: string, width: number): number {
  let n = 0;
  let at = 0;
  for (const char of text) {
    n += columns(char);
    if (n > width) break;
    at += char.length;
  }
  return Math.max(at, 1);
}
