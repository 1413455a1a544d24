import { type Diagnostic, diagnose } from "../../diagnostic.ts";
import type { Source } from "../../source.ts";
import { readFlow } from "./flow.ts";
import { closingQuote, resolvePlain, unquote, withoutComment } from "./scalar.ts";
import { Mapping, Sequence, type Value } from "./value.ts";

const MAX_DEPTH = 64;
const BLANK = -1;

export interface YamlReading {
  readonly documents: readonly { readonly value: Value; readonly line: number; readonly end: number }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Is handed each item of a document's `items` as it is read; one that it takes is not kept. */
export type Take = (item: Mapping) => boolean;

/**
 * Reads the YAML that kubectl prints and people write for it: block mappings and sequences, scalars of every style, flow
 * collections on one line, several documents. Anchors, aliases and tags are told and left out. One pass over the lines.
 */
export function readYaml(source: Source, take?: Take): YamlReading {
  return new Reader(source, take).documents();
}

class Reader {
  private at = 0;
  /** The content of a `- ` item is read as if it stood alone, indented by its column. */
  private innerLine = -1;
  private innerColumn = 0;
  private depth = 0;
  private readonly lines: readonly string[];
  private readonly source: Source;
  private readonly found: Diagnostic[] = [];

  private readonly take: Take | undefined;

  constructor(source: Source, take: Take | undefined) {
    this.take = take;
    this.source = source;
    this.lines = source.lines;
  }

  documents(): YamlReading {
    const documents: { value: Value; line: number; end: number }[] = [];
    while (this.at < this.lines.length) {
      const indent = this.indentOf(this.at);
      if (indent === BLANK || isMarker(this.lines[this.at]!)) {
        this.at++;
        continue;
      }
      const line = this.at;
      const value = this.block(indent);
      documents.push({ value, line, end: Math.max(line, this.at - 1) });
      if (this.at === line) {
        this.complain(line, indent, "yaml-indentation", "this line does not fit the indentation around it");
        this.at++;
      }
    }
    return { documents, diagnostics: this.found };
  }

  /** Blanks before the content, or BLANK where there is nothing but a comment. */
  private indentOf(line: number): number {
    if (line === this.innerLine) return this.innerColumn;
    const text = this.lines[line]!;
    let i = 0;
    while (text.charCodeAt(i) === 32) i++;
    const c = text.charCodeAt(i);
    if (c === 9) return text.trim() === "" ? BLANK : i;
    return Number.isNaN(c) || c === 35 ? BLANK : i;
  }

  private skipBlank(): number {
    for (; this.at < this.lines.length; this.at++) {
      const indent = this.indentOf(this.at);
      if (indent !== BLANK) return indent === 0 && isMarker(this.lines[this.at]!) ? BLANK : indent;
    }
    return BLANK;
  }

  private block(indent: number, items = false): Value {
    if (this.depth >= MAX_DEPTH) {
      this.complain(this.at, indent, "yaml-too-deep", `nested more than ${MAX_DEPTH} deep: not read`);
      this.skipDeeper(indent - 1);
      return null;
    }
    this.depth++;
    const text = this.lines[this.at]!;
    const value = isItem(text, indent)
      ? this.sequence(indent, items)
      : keyEnd(text, indent) >= 0
        ? this.mapping(indent)
        : this.loose(indent);
    this.depth--;
    return value;
  }

  /** A scalar on a line of its own. */
  private loose(indent: number): Value {
    const text = this.lines[this.at]!.slice(indent).trim();
    return this.scalar(text, indent, indent - 1);
  }

  private sequence(indent: number, items: boolean): Sequence {
    const sequence = new Sequence(this.at);
    for (;;) {
      const here = this.skipBlank();
      if (here !== indent || !isItem(this.lines[this.at]!, indent)) {
        if (here > indent) {
          this.strayLine(here);
          continue;
        }
        return sequence;
      }
      const line = this.at;
      const text = this.lines[line]!;
      let column = indent + 1;
      while (text.charCodeAt(column) === 32) column++;
      const rest = text.charCodeAt(column);
      if (Number.isNaN(rest) || rest === 35) {
        this.at++;
        const next = this.skipBlank();
        sequence.put(next > indent ? this.block(next) : null, line);
      } else if (isItem(text, column) || keyEnd(text, column) >= 0) {
        this.innerLine = line;
        this.innerColumn = column;
        const item = this.block(column);
        if (!items || !(item instanceof Mapping) || this.take?.(item) !== true) sequence.put(item, line);
      } else sequence.put(this.scalar(text.slice(column).trimEnd(), column, indent), line);
      if (this.at === line) this.at++;
    }
  }

  private mapping(indent: number): Mapping {
    const mapping = new Mapping(this.at);
    for (;;) {
      const here = this.skipBlank();
      const line = this.at;
      if (here !== indent) {
        if (here > indent) {
          this.strayLine(here);
          continue;
        }
        break;
      }
      const text = this.lines[line]!;
      if (isItem(text, indent)) break;
      const colon = keyEnd(text, indent);
      if (colon < 0) {
        this.complain(line, indent, "yaml-no-key", "a key and a colon were expected here");
        this.at++;
        continue;
      }
      const key = keyOf(text, indent, colon);
      let column = colon + 1;
      while (text.charCodeAt(column) === 32) column++;
      const first = text.charCodeAt(column);
      let value: Value;
      if (Number.isNaN(first) || first === 35) {
        this.at++;
        const next = this.skipBlank();
        const nested = next > indent || (next === indent && isItem(this.lines[this.at]!, indent));
        value = nested ? this.block(next, this.depth === 1 && key === "items") : null;
      } else value = this.scalar(text.slice(column).trimEnd(), column, indent);
      mapping.put(key, value, line);
    }
    mapping.end = Math.max(mapping.line, this.at - 1);
    return mapping;
  }

  /** A scalar or flow collection that starts in this line at `column`; what continues it is indented more than `parent`. */
  private scalar(text: string, column: number, parent: number): Value {
    const line = this.at;
    this.at++;
    const c = text[0];
    if (c === '"' || c === "'") return this.quoted(text, c, line, column);
    if (c === "|" || c === ">") return this.blockScalar(text, parent);
    if (c === "{" || c === "[") return this.flow(text, line, column);
    if (c === "&" || c === "*" || c === "!") {
      const what = c === "&" ? "an anchor" : c === "*" ? "an alias" : "a tag";
      this.complain(line, column, "yaml-not-plain", `${what} is not followed: this value is left out`);
      this.skipDeeper(parent);
      return null;
    }
    if (c === "@" || c === "`" || c === "%") {
      this.complain(line, column, "yaml-reserved", `a value cannot begin with ${c}`);
      return null;
    }
    const plain = withoutComment(text);
    const parts = plain.length === text.length ? this.continuation(parent) : undefined;
    return parts === undefined ? resolvePlain(plain) : [plain, ...parts].join(" ");
  }

  private continuation(parent: number): readonly string[] | undefined {
    let parts: string[] | undefined;
    for (; this.at < this.lines.length; this.at++) {
      const indent = this.indentOf(this.at);
      if (indent <= parent || indent === BLANK) break;
      const text = this.lines[this.at]!;
      if (keyEnd(text, indent) >= 0 || isItem(text, indent)) break;
      parts ??= [];
      parts.push(withoutComment(text.slice(indent)));
    }
    return parts;
  }

  private quoted(text: string, quote: string, line: number, column: number): string | null {
    const close = closingQuote(text, 0);
    if (close >= 0) {
      if (withoutComment(text.slice(close + 1)) !== "")
        this.complain(line, column + close + 1, "yaml-after-quote", "nothing may follow the closing quote");
      return unquote(text.slice(1, close), quote);
    }
    const parts = [text.slice(1)];
    let blank = false;
    for (; this.at < this.lines.length && !isMarker(this.lines[this.at]!); this.at++) {
      const next = this.lines[this.at]!.trim();
      const end = closingQuote(quote + next, 0);
      const before = parts[parts.length - 1]!;
      // A line that ends in a backslash is joined to the next one without a blank.
      if (quote === '"' && oddBackslashes(before)) parts[parts.length - 1] = before.slice(0, -1);
      else parts.push(next === "" ? "\n" : blank ? "" : " ");
      blank = next === "";
      parts.push(end < 0 ? next : next.slice(0, end - 1));
      if (end >= 0) {
        this.at++;
        return unquote(parts.join(""), quote);
      }
    }
    this.complain(line, column, "yaml-open-quote", "this quote is never closed");
    return null;
  }

  private flow(text: string, line: number, column: number): Value {
    if (text === "[]") return new Sequence(line);
    if (text === "{}") return new Mapping(line);
    const read = readFlow(text, 0, line);
    if (read !== undefined && withoutComment(text.slice(read.end)) === "") return read.value;
    this.complain(
      line,
      column,
      "yaml-flow",
      "a flow collection over several lines, or one that is not closed, is not read",
    );
    return null;
  }

  private blockScalar(header: string, parent: number): string {
    const literal = header[0] === "|";
    const keep = header.includes("+");
    const strip = header.includes("-");
    const explicit = /[1-9]/.exec(header.slice(0, 3));
    let indent = explicit === null ? -1 : Math.max(parent, 0) + Number(explicit[0]);
    const lines: string[] = [];
    for (; this.at < this.lines.length; this.at++) {
      const text = this.lines[this.at]!;
      let i = 0;
      while (text.charCodeAt(i) === 32) i++;
      if (i === text.length) {
        lines.push(indent >= 0 ? text.slice(indent) : "");
        continue;
      }
      if (i <= parent || (indent >= 0 && i < indent)) break;
      if (indent < 0) indent = i;
      lines.push(text.slice(indent));
    }
    let last = lines.length;
    while (last > 0 && lines[last - 1] === "") last--;
    const body = lines.slice(0, last);
    const text = literal ? body.join("\n") : fold(body);
    if (keep && last === 0) return "\n".repeat(lines.length);
    return keep ? `${text}\n${"\n".repeat(lines.length - last)}` : strip || text === "" ? text : `${text}\n`;
  }

  private strayLine(indent: number): void {
    this.complain(this.at, indent, "yaml-indentation", "this line is indented deeper than what it belongs to");
    this.skipDeeper(indent - 1);
  }

  /** Leaves out the lines that are indented more than `indent`, the present one first. */
  private skipDeeper(indent: number): void {
    this.innerLine = -1;
    for (; this.at < this.lines.length; this.at++) {
      const here = this.indentOf(this.at);
      if (here !== BLANK && here <= indent) return;
    }
  }

  private complain(line: number, column: number, code: string, message: string): void {
    this.found.push(diagnose(this.source, line, column, `kubernetes-${code}`, message, { severity: "warning" }));
  }
}

/** `---`, `...`, and the `--` that grep puts between what it found. */
const isMarker = (text: string): boolean =>
  text.charCodeAt(0) === 45 ? /^--(?:-\s|-?$|\s*$)/.test(text) : text.charCodeAt(0) === 46 && /^\.\.\.\s*$/.test(text);

function isItem(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 45) return false;
  const next = text.charCodeAt(at + 1);
  return next === 32 || Number.isNaN(next);
}

/** Index of the colon that ends the key which starts at `from`, or -1. */
function keyEnd(text: string, from: number): number {
  const c = text.charCodeAt(from);
  if (c === 34 || c === 39) {
    const close = closingQuote(text, from);
    if (close < 0) return -1;
    return text.charCodeAt(close + 1) === 58 && endsKey(text, close + 1) ? close + 1 : -1;
  }
  if (c === 123 || c === 91 || c === 35) return -1;
  for (let at = text.indexOf(":", from); at >= 0; at = text.indexOf(":", at + 1)) if (endsKey(text, at)) return at;
  return -1;
}

function endsKey(text: string, colon: number): boolean {
  const next = text.charCodeAt(colon + 1);
  return next === 32 || next === 9 || Number.isNaN(next);
}

function keyOf(text: string, from: number, colon: number): string {
  const c = text[from]!;
  return c === '"' || c === "'" ? unquote(text.slice(from + 1, colon - 1), c) : text.slice(from, colon).trimEnd();
}

function oddBackslashes(text: string): boolean {
  let n = 0;
  while (text.charCodeAt(text.length - 1 - n) === 92) n++;
  return n % 2 === 1;
}

/** `>`: a line end between two lines of text is a blank; more indented lines keep theirs. */
function fold(lines: readonly string[]): string {
  let text = lines[0] ?? "";
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i]!;
    const keeps = line === "" || line.startsWith(" ") || lines[i - 1] === "" || lines[i - 1]!.startsWith(" ");
    text += keeps ? (line === "" ? "\n" : lines[i - 1] === "" ? line : `\n${line}`) : ` ${line}`;
  }
  return text;
}
