import { lookup } from "../../../model/lookup.ts";

/** A plain scalar as the core schema resolves it; numbers that are no small integers stay text. */
export function resolvePlain(text: string): string | number | boolean | null {
  const c = text.charCodeAt(0);
  if ((c >= 48 && c <= 57) || c === 45) {
    return text.length < 16 && /^-?(?:0|[1-9]\d*)$/.test(text) ? Number(text) : text;
  }
  switch (text) {
    case "":
    case "~":
    case "null":
    case "Null":
    case "NULL":
      return null;
    case "true":
    case "True":
    case "TRUE":
      return true;
    case "false":
    case "False":
    case "FALSE":
      return false;
    default:
      return text;
  }
}

/** Where a comment starts in a plain scalar: a `#` after a blank. */
export function withoutComment(text: string): string {
  for (let at = text.indexOf("#"); at >= 0; at = text.indexOf("#", at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (at === 0 || before === 32 || before === 9) return text.slice(0, at).trimEnd();
  }
  return text.trimEnd();
}

/** Index of the closing quote of a scalar that opens at `from`, or -1 if the line ends before. */
export function closingQuote(text: string, from: number): number {
  const quote = text.charCodeAt(from);
  for (let i = from + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 92 && quote === 34) i++;
    else if (c === quote) {
      if (quote === 39 && text.charCodeAt(i + 1) === 39) i++;
      else return i;
    }
  }
  return -1;
}

const ESCAPES: Readonly<Record<string, string>> = lookup({
  0: "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
});

/** What stands between the quotes, as it is meant. */
export function unquote(body: string, quote: string): string {
  if (quote === "'") return body.includes("''") ? body.replaceAll("''", "'") : body;
  if (!body.includes("\\")) return body;
  return body.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g, (_, x, u, U, c) => {
    const hex: string | undefined = x ?? u ?? U;
    if (hex === undefined) return ESCAPES[c as string] ?? (c as string);
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}
