/** One simple command of a typed line, and what its output went through. */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** The commands after `|`, in order. */
  readonly filters: readonly (readonly string[])[];
  /** Standard output went to a file: what stands below is not its output. */
  readonly redirected: boolean;
}

type Operator = ";" | "|" | "&&" | "||" | "&" | "\n";
type Token = { readonly kind: "word"; readonly text: string } | { readonly kind: "operator"; readonly text: Operator };

const SPACE = /\s/;
const DIGITS = /^\d$/;

/** Reads to the `)` that closes a `$(`, or to the end. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")" && --depth === 0) return i + 1;
  }
  return text.length;
}

interface Lexed {
  readonly tokens: readonly Token[];
  /** Index of the word tokens that name the target of `>`; such words are left out. */
  readonly redirects: ReadonlySet<number>;
}

/** Splits as a shell would: quotes, backslashes, operators, `$(…)` kept whole. Never fails: an open quote runs to the end. */
function lex(text: string): Lexed {
  const tokens: Token[] = [];
  const redirects = new Set<number>();
  let word: string | undefined;
  let expectTarget: "out" | "other" | undefined;
  const flush = () => {
    if (word === undefined) return;
    if (expectTarget === undefined) tokens.push({ kind: "word", text: word });
    else if (expectTarget === "out" && word !== "/dev/null") redirects.add(tokens.length);
    expectTarget = undefined;
    word = undefined;
  };
  const operator = (op: Operator) => {
    flush();
    expectTarget = undefined;
    tokens.push({ kind: "operator", text: op });
  };
  let i = 0;
  while (i < text.length) {
    const c = text[i]!;
    if (SPACE.test(c)) {
      flush();
      i++;
    } else if (c === "'" || c === '"') {
      const end = text.indexOf(c, i + 1);
      word = (word ?? "") + text.slice(i + 1, end < 0 ? text.length : end);
      i = end < 0 ? text.length : end + 1;
    } else if (c === "\\" && i + 1 < text.length) {
      word = (word ?? "") + text[i + 1];
      i += 2;
    } else if (c === "$" && text[i + 1] === "(") {
      const end = closing(text, i + 1);
      word = (word ?? "") + text.slice(i, end);
      i = end;
    } else if (c === "`") {
      const end = text.indexOf("`", i + 1);
      word = (word ?? "") + text.slice(i, end < 0 ? text.length : end + 1);
      i = end < 0 ? text.length : end + 1;
    } else if (c === "|") {
      if (text[i + 1] === "|") {
        operator("||");
        i += 2;
      } else {
        operator("|");
        i += text[i + 1] === "&" ? 2 : 1;
      }
    } else if (c === "&" && text[i + 1] === "&") {
      operator("&&");
      i += 2;
    } else if (c === ";") {
      operator(";");
      i++;
    } else if (c === "&" && text[i + 1] !== ">") {
      operator("&");
      i++;
    } else if (c === ">" || (c === "&" && text[i + 1] === ">")) {
      const descriptor = word !== undefined && DIGITS.test(word) ? word : undefined;
      if (descriptor !== undefined) word = undefined;
      flush();
      i += c === "&" ? 2 : 1;
      if (text[i] === ">") i++;
      if (text[i] === "&") {
        i++;
        while (i < text.length && /[\d-]/.test(text[i]!)) i++;
      } else expectTarget = descriptor === undefined || descriptor === "1" ? "out" : "other";
    } else if (c === "<" && word === undefined) {
      i++;
      while (text[i] === "<" || text[i] === "-") i++;
      expectTarget = "other";
    } else {
      word = (word ?? "") + c;
      i++;
    }
  }
  flush();
  return { tokens, redirects };
}

const KEYWORDS = new Set([
  "do",
  "then",
  "else",
  "elif",
  "if",
  "while",
  "until",
  "!",
  "{",
  "(",
  "time",
  "exec",
  "command",
]);

const withoutKeywords = (words: readonly string[]): readonly string[] => {
  let from = 0;
  while (from < words.length && (KEYWORDS.has(words[from]!) || /^[A-Za-z_]\w*=/.test(words[from]!))) from++;
  return from === 0 ? words : words.slice(from);
};

/** The simple commands of a typed line, in order: `a; b | grep x` gives two. */
export function commandsOf(line: string): readonly SimpleCommand[] {
  const { tokens, redirects } = lex(line.slice(0, MAX_COMMAND));
  const commands: SimpleCommand[] = [];
  let pipeline: string[][] = [[]];
  let redirected = false;
  const close = () => {
    const [first = [], ...rest] = pipeline;
    const words = withoutKeywords(first);
    if (words.length > 0) commands.push({ words, filters: rest.filter((w) => w.length > 0), redirected });
    pipeline = [[]];
    redirected = false;
  };
  tokens.forEach((token, at) => {
    if (redirects.has(at)) redirected = true;
    if (token.kind === "word") pipeline[pipeline.length - 1]!.push(token.text);
    else if (token.text === "|") pipeline.push([]);
    else close();
  });
  if (redirects.has(tokens.length)) redirected = true;
  close();
  return commands;
}

/** Longer command lines are cut: what decides stands at the front. */
const MAX_COMMAND = 16_384;
