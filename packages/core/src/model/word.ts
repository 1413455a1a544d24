import { type Address, formatAddress, isAddress, maxLength, type Prefix } from "../net/index.ts";

declare const brand: unique symbol;

/**
 * One argument of a tool, or one word of a line that a tool reads. What came out of a dump becomes one only by the function of its
 * kind, each of which lets through a closed alphabet: no blank, no control character, no quote, no dash at the head. A dump is
 * anybody's text, and the tools run as root.
 */
export type Word = string & { readonly [brand]: "word" };
/** A line for the standard input of a tool: words with a blank between them. */
export type Line = string & { readonly [brand]: "line" };
/** All that a tool reads on its standard input. */
export type Input = string & { readonly [brand]: "input" };

export type WordKind =
  | "device"
  | "interface-pattern"
  | "mac"
  | "address"
  | "prefix"
  | "number"
  | "set"
  | "chain"
  | "name"
  | "choice"
  | "descriptor"
  | "sysctl"
  | "sysctl-value"
  | "rule-word"
  | "set-word"
  | "line";

/** A value that no tool is given. */
export class BadWord extends Error {
  override readonly name = "BadWord";
  readonly kind: WordKind;
  readonly value: string;
  constructor(kind: WordKind, value: unknown) {
    // A value may be of any length, and not even a string: JSON was read somewhere before.
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
    const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
    super(`${JSON.stringify(shown)} is no ${kind}`);
    this.kind = kind;
    this.value = shown;
  }
}

function checked(kind: WordKind, value: unknown, alphabet: RegExp, longest: number): Word {
  if (typeof value !== "string" || value.length > longest || !alphabet.test(value)) throw new BadWord(kind, value);
  return value as Word;
}

/** Of what the program says itself: the fixed parts of a template, and the words put between them. */
export function words(fixed: TemplateStringsArray, ...put: readonly (Word | readonly Word[])[]): readonly Word[] {
  return fixed.flatMap((text, i) => {
    const own = text.split(" ").filter((word) => word !== "") as Word[];
    const next = put[i];
    return next === undefined ? own : own.concat(next);
  });
}

/** The kernel takes more (dev_valid_name); no device in use needs it. */
export const deviceWord = (name: string): Word => {
  if (name === "." || name === "..") throw new BadWord("device", name);
  return checked("device", name, /^[A-Za-z0-9_.@+][A-Za-z0-9_.:@+-]*$/, 15);
};

/** `eth+`, and a name on its own. */
export const interfacePattern = (name: string): Word =>
  checked("interface-pattern", name, /^[A-Za-z0-9_.@+][A-Za-z0-9_.:@+-]*$/, 15);

export const macWord = (mac: string): Word => checked("mac", mac, /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/, 17);

export function addressWord(address: Address): Word {
  if (!isAddress(address)) throw new BadWord("address", address);
  return formatAddress(address) as Word;
}

export function prefixWord({ address, length }: Prefix): Word {
  if (!Number.isInteger(length) || length < 0 || length > maxLength(address)) throw new BadWord("prefix", length);
  return joined("/", addressWord(address), numberWord(length));
}

export function numberWord(value: number): Word {
  if (!Number.isSafeInteger(value) || value < 0) throw new BadWord("number", value);
  return String(value) as Word;
}

export function hexWord(value: number): Word {
  if (!Number.isSafeInteger(value) || value < 0) throw new BadWord("number", value);
  return `0x${value.toString(16)}` as Word;
}

/** Weave makes set names of nearly all printable characters; what a reader of words takes for more than itself stays out. */
export const setWord = (name: string): Word => checked("set", name, /^[!$-&(-,./-[\]-~][!#-&(-[\]-~]*$/, 31);

export const chainWord = (name: string): Word => checked("chain", name, /^[A-Za-z0-9_%~@+][A-Za-z0-9_.%~@+:=-]*$/, 28);

/** Of a routing table, a scheduler, a protocol, an extension. */
export const nameWord = (name: string): Word => checked("name", name, /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/, 64);

/** One of a closed list. */
export function oneOf<T extends string>(value: string, list: readonly T[]): Word & T {
  const found = list.find((item) => item === value);
  if (found === undefined) throw new BadWord("choice", value);
  return found as Word & T;
}

/** Where a namespace is held open: `/proc/4711/fd/9`. */
export const descriptorWord = (path: string): Word => checked("descriptor", path, /^\/proc\/[0-9]+\/fd\/[0-9]+$/, 40);

/** One part of a path below /proc/sys. */
export const sysctlPart = (part: string): Word => {
  if (part === "." || part === "..") throw new BadWord("sysctl", part);
  return checked("sysctl", part, /^[A-Za-z0-9_.@+][A-Za-z0-9_.:@+-]*$/, 64);
};

/** Numbers, or a name, with blanks between them: it is written to a file, not handed to a reader of words. */
export const sysctlValue = (value: string): Word =>
  checked("sysctl-value", value, /^-?[A-Za-z0-9_]([A-Za-z0-9_. -]*[A-Za-z0-9_])?$/, 256);

/** Words that are one to the tool: `80-90`, `0x1/0xff`, `10.0.0.1:53`. */
export const joined = (between: "-" | "/" | ":" | ",", ...parts: readonly Word[]): Word =>
  parts.join(between) as string as Word;

/** An IPv6 address before a port. */
export const bracketed = (address: Word): Word => `[${address}]` as Word;

/** Characters that end a line for some reader, or that no text of a rule needs. */
const CONTROL = /[\0-\x1f\x7f-\x9f\u2028\u2029]/;

/** In UTF-8, or a few more. */
const bytesOf = (text: string): number => text.replace(/[^\0-\x7f]/g, "   ").length;

/**
 * A word of a rule as add_param_to_argv() of iptables-restore reads it: in quotes wherever it holds more than a closed alphabet,
 * quotes and backslashes escaped. Nothing in quotes ends the word; an empty one would vanish, and one over 1,024 bytes is cut.
 */
export function ruleWord(text: string): Word {
  if (typeof text !== "string" || text === "" || CONTROL.test(text)) throw new BadWord("rule-word", text);
  if (bytesOf(text) > 1000) throw new BadWord("rule-word", text);
  // iptables-restore obeys --modprobe=COMMAND in a rule, however it is abbreviated; --mode is another option.
  if (/^(?:-M|--mod?(?:=|$)|--modp)/.test(text)) throw new BadWord("rule-word", text);
  if (/^[A-Za-z0-9_.:,/=+@!~%^|-]+$/.test(text)) return text as Word;
  return `"${text.replace(/["\\]/g, "\\$&")}"` as Word;
}

/** A word of an element or option of a set, as `ipset restore` reads it. */
export const setEntryWord = (text: string): Word => checked("set-word", text, /^[!$-&(-,./-[\]-~][!#-&(-[\]-~]*$/, 255);

/** `:INPUT`, `*nat` of iptables-restore. */
export const marked = (mark: ":" | "*", word: Word): Word => `${mark}${word}` as Word;

/**
 * The only way to a line. Looks once more: whatever a word is, no line holds the end of another, and none is longer than its reader
 * takes at once: iptables-restore reads 10,239 bytes, ipset 1,023, and takes what is left for the next line.
 */
export function lineOf(parts: readonly Word[], longest: 8000 | 1000 = 8000): Line {
  const text = parts.join(" ");
  if (text === "" || CONTROL.test(text) || bytesOf(text) > longest) throw new BadWord("line", text);
  return text as Line;
}

/** What never stands outside quotes in nft's language as its printer writes it, and inside them, where nft knows no escape. */
const NOT_NFT = /[^A-Za-z0-9_ \t\n.,:;{}()<>=!&|^/*@+[\]~-]/;
const NOT_QUOTED = /[\\$\0-\x1f\x7f-\x9f\u2028\u2029]/;
/** Commands that may stand inside a block and reach beyond it. */
const NFT_REACHES = /(?:^|[^\w./-])(?:include|define|redefine|undefine)(?![\w./-])/;

/** A table in nft's language, printed from the model: one block and nothing behind it, no variable, no other file. */
export function nftScript(text: string): Input {
  let odd = false;
  const bare = text.replace(/"[^"]*"/g, (quoted) => {
    odd ||= NOT_QUOTED.test(quoted);
    return "";
  });
  if (odd || bare.includes('"') || NOT_NFT.test(bare) || NFT_REACHES.test(bare) || !isOneBlock(bare))
    throw new BadWord("line", text);
  return text as Input;
}

function isOneBlock(text: string): boolean {
  const body = /^table \w+ [\w./-]+ \{\n(.*)\}\n$/s.exec(text)?.[1];
  if (body === undefined) return false;
  let depth = 0;
  for (const c of body) {
    if (c === "{") depth++;
    else if (c === "}") depth--;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** The only way to the standard input of a tool. */
export const inputOf = (lines: readonly Line[]): Input => lines.map((line) => `${line}\n`).join("") as Input;
