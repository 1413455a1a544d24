/** Reads a text from left to right. Patterns are sticky and bounded, so that no line costs more than its length. */
export class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    while (this.at < this.text.length && this.text.charCodeAt(this.at) <= 32) this.at++;
  }

  /** Takes what a sticky pattern matches here. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const m = pattern.exec(this.text);
    if (m === null) return undefined;
    this.at = pattern.lastIndex;
    return m;
  }

  starts(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  skip(text: string): boolean {
    if (!this.starts(text)) return false;
    this.at += text.length;
    return true;
  }

  /** What stands between this `(` and its `)`, at most `limit` characters. */
  group(limit: number): string | undefined {
    if (this.text[this.at] !== "(") return undefined;
    let depth = 0;
    const end = Math.min(this.text.length, this.at + limit);
    for (let i = this.at; i < end; i++) {
      const c = this.text[i];
      if (c === "(") depth++;
      else if (c === ")" && --depth === 0) {
        const inside = this.text.slice(this.at + 1, i);
        this.at = i + 1;
        return inside;
      }
    }
    return undefined;
  }

  /** The rest of this line. */
  line(limit = 2000): string {
    const end = this.text.indexOf("\n", this.at);
    return this.text.slice(this.at, Math.min(end < 0 ? this.text.length : end, this.at + limit));
  }
}
