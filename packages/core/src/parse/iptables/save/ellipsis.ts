/** A line that says that something was left out: `...`, `…`, `[snip]`, `(output omitted)`. */
export const isEllipsis = (text: string): boolean =>
  text.length < 60 && /^[\s[<(*#-]{0,6}(?:\.{2,}|…|snip|omitted|output omitted|truncated)/i.test(text);
