import type { Token } from "./lex.ts";

export interface Expanded {
  readonly tokens: readonly Token[];
  /** `include "…"`: what stands there was not given. */
  readonly includes: readonly Token[];
  /** `$NAME` that nothing defines, or more text than a ruleset can have. */
  readonly undefined: readonly Token[];
}

/** How many tokens all `$NAME` together may put in, for each that stands in the text. */
const GROWTH = 20;

/** `define NAME = …` taken out and put in where `$NAME` stands, as nft does while it reads. */
export function expand(tokens: readonly Token[]): Expanded {
  const defines = new Map<string, readonly Token[]>();
  const out: Token[] = [];
  const includes: Token[] = [];
  const missing: Token[] = [];
  let left = GROWTH * tokens.length + 10_000;
  const isMark = (i: number, text: string) => tokens[i]?.kind === "punctuation" && tokens[i]!.text === text;
  /** The value of a name, or its own tokens; `i` stands on the `$`. */
  const put = (i: number, to: Token[]): void => {
    const name = tokens[i + 1]!;
    const body = defines.get(name.text);
    if (body === undefined || body.length > left) {
      missing.push(name);
      to.push({ ...name, kind: "unknown", text: `$${name.text}` });
      return;
    }
    left -= body.length;
    for (const t of body) to.push({ ...t, line: name.line, column: name.column });
  };
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    const starts = i === 0 || tokens[i - 1]!.kind === "end of line" || isMark(i - 1, ";") || isMark(i - 1, "{");
    if (
      starts &&
      token.kind === "word" &&
      (token.text === "define" || token.text === "redefine") &&
      isMark(i + 2, "=")
    ) {
      const name = tokens[i + 1]!.text;
      const body: Token[] = [];
      let depth = 0;
      for (i += 3; i < tokens.length; i++) {
        const t = tokens[i]!;
        if (t.kind === "end" || (depth === 0 && (t.kind === "end of line" || isMark(i, ";")))) break;
        if (isMark(i, "{")) depth++;
        if (isMark(i, "}")) depth--;
        if (isMark(i, "$") && tokens[i + 1]?.kind === "word") put(i++, body);
        else body.push(t);
      }
      defines.set(name, body);
      i--;
    } else if (starts && token.kind === "word" && token.text === "include" && tokens[i + 1]?.kind === "string") {
      includes.push(tokens[++i]!);
    } else if (starts && token.kind === "word" && token.text === "undefine") {
      defines.delete(tokens[++i]?.text ?? "");
    } else if (isMark(i, "$") && tokens[i + 1]?.kind === "word") put(i++, out);
    else out.push(token);
  }
  return { tokens: out, includes, undefined: missing };
}
