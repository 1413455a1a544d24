/** How iptables-save writes a word: as it is, in quotes where xtables_save_string() wants them, in quotes always. */
export type Quoting = "bare" | "needed" | "always";

/** A rule is written once, for two readers: as text, and as the argument list of a tool. */
export interface Writer {
  readonly word: (word: string, quoting?: Quoting) => void;
  /** Text of an unknown option, as it stood. */
  readonly verbatim: (text: string) => void;
  /** A blank too many: libxt_nfacct prints one. */
  readonly gap?: () => void;
}

/** As xtables_save_string(): nothing but these may stand without quotes. */
function needsQuotes(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const plain = (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 57) || c === 45 || c === 95;
    if (!plain) return true;
  }
  return text.length === 0;
}

export const quoted = (text: string): string => `"${text.replace(/["\\']/g, "\\$&")}"`;

export class TextWriter implements Writer {
  private text = "";
  readonly word = (word: string, quoting: Quoting = "bare"): void => {
    const shown =
      quoting === "always" || (quoting === "needed" && needsQuotes(word)) || (quoting === "bare" && word === "")
        ? quoted(word)
        : word;
    this.text = this.text === "" ? shown : `${this.text} ${shown}`;
  };
  readonly verbatim = (text: string): void => {
    this.text = this.text === "" ? text : `${this.text} ${text}`;
  };
  readonly gap = (): void => {
    this.text += " ";
  };
  toString(): string {
    return this.text;
  }
}
