import type { Source } from "../source.ts";

/**
 * `word` is everything that is neither quoted nor punctuation: keywords, numbers, addresses, names, `10.0.0.1-10.0.0.9`; `unknown` is a `$NAME` that
 * nothing defines.
 */
export type TokenKind = "word" | "string" | "punctuation" | "end of line" | "handle" | "unknown" | "end";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Index of its line in the source, and where it starts there. */
  readonly line: number;
  readonly column: number;
}

const DOUBLE = new Set(["!=", "==", "<=", ">=", "<<", ">>"]);
const SINGLE = new Set("{}()[],;=<>&|^!@$".split(""));
const WORD = /[A-Za-z0-9_.:/*\\+~-]/;

/** A comment that says something: which handle the line before it has. */
const HANDLE = /^#\s*handle\s+(\d+)/;

/** `# xt_conntrack`: what nft prints in place of an extension that it cannot translate (xt_stmt_xlate()). The rule goes on behind it. */
const PLACEHOLDER = /^#\s*xt_([\w-]{1,40})/;
/** Older ones print it as iptables -L would, behind the same mark; a counter of iptables-nft follows every match. */
const AS_LISTED = /^#\s*([\w-]+).*?(?= counter packets \d+ bytes \d+)/;

interface LostExtension {
  readonly what: "match" | "target";
  readonly name: string;
  /** Where the rest of the rule begins. */
  readonly to: number;
}

/** A remark in a listing that stands for a part of the rule; undefined: a remark. */
function lostExtension(text: string, at: number): LostExtension | undefined {
  const rest = text.slice(at, at + 2000);
  const placeholder = PLACEHOLDER.exec(rest);
  if (placeholder !== null) {
    const name = placeholder[1]!;
    return { what: /^[A-Z]/.test(name) ? "target" : "match", name, to: at + placeholder[0].length };
  }
  const before = text.slice(0, at).trimEnd();
  // A whole line may be a rule that somebody commented out.
  const listed = before === "" ? null : AS_LISTED.exec(rest);
  if (listed !== null) return { what: "match", name: listed[1]!, to: at + listed[0].length };
  if (!/counter packets \d+ bytes \d+$/.test(before)) return undefined;
  const handle = rest.indexOf(" # handle ");
  return { what: "target", name: /\w+/.exec(rest)?.[0] ?? "", to: handle < 0 ? text.length : at + handle + 1 };
}

/**
 * Cuts nft's language into tokens, as the scanner of nft does (src/scanner.l) but for words that hold `:`, `-`, `/` and `.`:
 * what these mean depends on where they stand, so the parser takes such words apart. Line ends are tokens: they end a rule.
 */
export function lex(source: Source): Token[] {
  const tokens: Token[] = [];
  for (const [line, text] of source.lines.entries()) {
    let i = 0;
    let joined = false;
    while (i < text.length) {
      const c = text[i]!;
      if (c === " " || c === "\t" || c === "\r" || c === "\f") {
        i++;
      } else if (c === "#") {
        const handle = HANDLE.exec(text.slice(i, i + 40));
        if (handle !== null) tokens.push({ kind: "handle", text: handle[1]!, line, column: i });
        const lost = handle === null ? lostExtension(text, i) : undefined;
        if (lost === undefined) break;
        for (const word of ["xt", lost.what, lost.name]) tokens.push({ kind: "word", text: word, line, column: i });
        i = lost.to;
      } else if (c === '"' || c === "'") {
        const close = text.indexOf(c, i + 1);
        const to = close < 0 ? text.length : close;
        tokens.push({ kind: "string", text: text.slice(i + 1, to), line, column: i });
        i = to + 1;
      } else if (c === "\\" && /^\\\s*$/.test(text.slice(i, i + 20))) {
        joined = true;
        break;
      } else if (DOUBLE.has(text.slice(i, i + 2))) {
        tokens.push({ kind: "punctuation", text: text.slice(i, i + 2), line, column: i });
        i += 2;
      } else if (SINGLE.has(c)) {
        tokens.push({ kind: "punctuation", text: c, line, column: i });
        i++;
      } else {
        let to = i;
        while (to < text.length && (WORD.test(text[to]!) || text.charCodeAt(to) > 127)) to++;
        if (to === i) to++;
        // A colon in front of a word, or between an address and a selector, stands for itself.
        const glued = /^(?::(?=[^:])|\d+\.\d+\.\d+\.\d+:(?=[a-z]))/.exec(text.slice(i, Math.min(to, i + 20)));
        if (glued !== null && i + glued[0].length < to) to = i + glued[0].length;
        tokens.push({ kind: "word", text: text.slice(i, to), line, column: i });
        i = to;
      }
    }
    if (!joined) tokens.push({ kind: "end of line", text: "", line, column: text.length });
  }
  tokens.push({ kind: "end", text: "", line: Math.max(0, source.lines.length - 1), column: 0 });
  return tokens;
}
