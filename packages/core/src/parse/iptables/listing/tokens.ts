/** A word of a listing's last column, with its place in the line. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** A comment, without its delimiters. */
  readonly comment: boolean;
}

/** Splits at blanks; a comment between slash-star and star-slash and a text in double quotes are one token each. */
export function tokens(line: string, from: number): readonly Token[] {
  const out: Token[] = [];
  let i = from;
  while (i < line.length) {
    const c = line.charCodeAt(i);
    if (c === 32 || c === 9) {
      i++;
      continue;
    }
    const start = i;
    if (line.startsWith("/* ", i)) {
      const close = line.indexOf(" */", i + 2);
      const end = close < 0 ? line.length : close + 3;
      out.push({ text: line.slice(i + 3, close < 0 ? line.length : close), start, end, comment: true });
      i = end;
      continue;
    }
    if (c === 34) {
      const close = line.indexOf('"', i + 1);
      const end = close < 0 ? line.length : close + 1;
      out.push({ text: line.slice(i + 1, close < 0 ? line.length : close), start, end, comment: false });
      i = end;
      continue;
    }
    while (i < line.length && line.charCodeAt(i) !== 32 && line.charCodeAt(i) !== 9) i++;
    out.push({ text: line.slice(start, i), start, end: i, comment: false });
  }
  return out;
}

/** Reads tokens and writes the words of a rule, each with the place of the token it comes from. */
export class Translation {
  readonly line: string;
  readonly texts: string[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  private readonly tokens: readonly Token[];
  position = 0;

  constructor(line: string, all: readonly Token[]) {
    this.line = line;
    this.tokens = all;
  }

  peek(ahead = 0): Token | undefined {
    return this.tokens[this.position + ahead];
  }

  textAt(ahead = 0): string {
    return this.tokens[this.position + ahead]?.text ?? "";
  }

  /** The next token's text, passing over it. */
  next(): string {
    return this.tokens[this.position++]?.text ?? "";
  }

  skip(count = 1): void {
    this.position += count;
  }

  /** Writes words at the place of the last token passed over. */
  write(...words: readonly string[]): void {
    const at = this.tokens[Math.max(0, this.position - 1)];
    for (const word of words) {
      this.texts.push(word);
      this.starts.push(at?.start ?? 0);
      this.ends.push(at?.end ?? 0);
    }
  }

  /** `option` with `value`, negated by an exclamation mark glued to the value or by `negated`. */
  option(option: string, value: string, negated = false): void {
    const glued = value.startsWith("!") && value.length > 1;
    if (glued || negated) this.write("!");
    this.write(option, glued ? value.slice(1) : value);
  }

  /** The value after the tokens passed over; a lone exclamation mark before it negates. */
  optionNext(option: string, negated = false): void {
    const alone = this.textAt() === "!";
    if (alone) this.skip();
    this.option(option, this.next(), negated || alone);
  }
}
