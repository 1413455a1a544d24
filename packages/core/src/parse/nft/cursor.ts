import type { Token } from "./lex.ts";

/** What the parser throws where it does not understand; caught per rule, so that one odd line costs one line. */
export class NotUnderstood extends Error {
  readonly token: Token;
  constructor(token: Token, message: string) {
    super(message);
    this.token = token;
  }
}

/** Tokens with a place in them. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get at(): number {
    return this.#at;
  }

  back(to: number): void {
    this.#at = to;
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!;
  }

  next(): Token {
    const token = this.peek();
    if (this.#at < this.#tokens.length - 1) this.#at++;
    return token;
  }

  is(text: string): boolean {
    const token = this.peek();
    return token.kind !== "string" && token.text === text;
  }

  take(...texts: readonly string[]): boolean {
    const { kind, text } = this.peek();
    if (kind === "string" || !texts.includes(text)) return false;
    this.next();
    return true;
  }

  /** Several words in a row. */
  takeAll(...texts: readonly string[]): boolean {
    const all = texts.every((text, i) => this.peek(i).kind !== "string" && this.peek(i).text === text);
    if (all) for (const _ of texts) this.next();
    return all;
  }

  expect(text: string): void {
    if (!this.take(text)) throw new NotUnderstood(this.peek(), `"${text}" should stand here`);
  }

  word(what: string): string {
    const token = this.peek();
    if (token.kind !== "word" && token.kind !== "string") throw new NotUnderstood(token, `${what} should stand here`);
    this.next();
    return token.text;
  }

  number(what: string): number {
    const token = this.peek();
    const value = /^(?:0x[0-9a-fA-F]+|\d+)$/.test(token.text) ? Number(token.text) : Number.NaN;
    if (!Number.isSafeInteger(value)) throw new NotUnderstood(token, `${what} should be a number`);
    this.next();
    return value;
  }

  /** At the end of a rule or statement. */
  atEnd(): boolean {
    const { kind, text } = this.peek();
    return kind === "end" || kind === "end of line" || (kind === "punctuation" && (text === ";" || text === "}"));
  }

  skipEnds(): void {
    while (this.peek().kind === "end of line" || this.is(";")) this.next();
  }

  skipLines(): void {
    while (this.peek().kind === "end of line") this.next();
  }

  /** Everything up to the end of this statement, nested braces included, as words. */
  rest(): string[] {
    const words: string[] = [];
    let depth = 0;
    for (;;) {
      const token = this.peek();
      if (token.kind === "end" || (depth === 0 && this.atEnd())) return words;
      if (token.kind === "punctuation" && token.text === "{") depth++;
      if (token.kind === "punctuation" && token.text === "}") depth--;
      if (token.kind === "handle" && depth === 0) return words;
      this.next();
      if (token.kind === "string") words.push(`"${token.text}"`);
      else if (token.kind !== "end of line") words.push(token.text);
    }
  }
}
