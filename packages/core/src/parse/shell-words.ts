/** One word of a command line as a shell would see it. Operators (`|`, `>`, `;`, `&&` …) are words of their own. */
export interface ShellWord {
  readonly text: string;
  readonly column: number;
  readonly operator?: true;
}

const OPERATORS = "|&;<>";

/** Splits as sh does, without expanding anything: quotes and backslashes are taken off, an unclosed quote runs to the end. */
export function shellWords(line: string, from = 0): ShellWord[] {
  const words: ShellWord[] = [];
  let i = from;
  while (i < line.length) {
    const c = line[i]!;
    if (c === " " || c === "\t") {
      i++;
      continue;
    }
    if (c === "#") break;
    const column = i;
    if (OPERATORS.includes(c)) {
      while (i < line.length && OPERATORS.includes(line[i]!)) i++;
      words.push({ text: line.slice(column, i), column, operator: true });
      continue;
    }
    const pieces: string[] = [];
    while (i < line.length) {
      const d = line[i]!;
      if (d === " " || d === "\t" || OPERATORS.includes(d)) break;
      if (d === "'" || d === '"') {
        let j = i + 1;
        let start = j;
        while (j < line.length && line[j] !== d) {
          if (d === '"' && line[j] === "\\" && '"\\$`'.includes(line[j + 1] ?? " ")) {
            pieces.push(line.slice(start, j));
            start = ++j;
          }
          j++;
        }
        pieces.push(line.slice(start, j));
        i = j + 1;
      } else if (d === "\\") {
        pieces.push(line[i + 1] ?? "");
        i += 2;
      } else {
        const start = i;
        while (i < line.length && !` \t'"\\${OPERATORS}`.includes(line[i]!)) i++;
        pieces.push(line.slice(start, i));
      }
    }
    words.push({ text: pieces.join(""), column });
  }
  return words;
}
