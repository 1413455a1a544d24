import { closingQuote, resolvePlain, unquote } from "./scalar.ts";
import { Mapping, Sequence, type Value } from "./value.ts";

const MAX_DEPTH = 32;

/** A flow collection (`{ip: 10.0.0.1}`, `[a, b]`) on one line from `from`; undefined if it is not well formed. */
export function readFlow(
  text: string,
  from: number,
  line: number,
): { readonly value: Value; readonly end: number } | undefined {
  let at = from;
  const blanks = () => {
    while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9) at++;
  };
  const scalar = (inKey: boolean): { readonly text: string; readonly quoted: boolean } | undefined => {
    const c = text[at];
    if (c === '"' || c === "'") {
      const close = closingQuote(text, at);
      if (close < 0) return undefined;
      const body = unquote(text.slice(at + 1, close), c);
      at = close + 1;
      return { text: body, quoted: true };
    }
    if (c === undefined || /[&*!|>%@`]/.test(c)) return undefined;
    const start = at;
    for (; at < text.length; at++) {
      const d = text[at]!;
      if (d === "," || d === "]" || d === "}" || d === "{" || d === "[") break;
      if (inKey && d === ":" && /^[\s,{}[\]]?$/.test(text[at + 1] ?? "")) break;
    }
    return { text: text.slice(start, at).trim(), quoted: false };
  };
  const value = (depth: number): Value | undefined => {
    blanks();
    const open = text[at];
    if (open === "[") {
      if (depth >= MAX_DEPTH) return undefined;
      at++;
      const sequence = new Sequence(line);
      for (;;) {
        blanks();
        if (text[at] === "]") break;
        const item = value(depth + 1);
        if (item === undefined) return undefined;
        sequence.put(item, line);
        blanks();
        if (text[at] === ",") at++;
        else if (text[at] !== "]") return undefined;
      }
      at++;
      return sequence;
    }
    if (open === "{") {
      if (depth >= MAX_DEPTH) return undefined;
      at++;
      const mapping = new Mapping(line);
      for (;;) {
        blanks();
        if (text[at] === "}") break;
        const key = scalar(true);
        blanks();
        if (key === undefined || text[at] !== ":") return undefined;
        at++;
        const item = value(depth + 1);
        if (item === undefined) return undefined;
        mapping.put(key.text, item, line);
        blanks();
        if (text[at] === ",") at++;
        else if (text[at] !== "}") return undefined;
      }
      at++;
      return mapping;
    }
    const plain = scalar(false);
    return plain === undefined ? undefined : plain.quoted ? plain.text : resolvePlain(plain.text);
  };
  const read = value(0);
  return read === undefined ? undefined : { value: read, end: at };
}
