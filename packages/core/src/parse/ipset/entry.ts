import type { Origin, SetEntry, SetPart } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { formatElement, parseElement } from "./element.ts";
import type { SetType } from "./types.ts";

export interface Word {
  readonly text: string;
  readonly column: number;
}

/** Something wrong with an entry, at a column of its line. */
export interface EntryProblem {
  readonly column: number;
  readonly length: number;
  readonly message: string;
}

/**
 * Splits a member line or the tail of an `add` line. Only a comment is quoted, and quotes inside it are not escaped: it
 * ends at the last one.
 */
export function entryWords(line: string, from = 0): Word[] {
  const words: Word[] = [];
  let i = from;
  while (i < line.length) {
    if (line[i] === " " || line[i] === "\t") {
      i++;
      continue;
    }
    const column = i;
    if (line[i] === '"' && words[words.length - 1]?.text === "comment") {
      const last = line.lastIndexOf('"');
      const end = last > i ? last : line.length;
      words.push({ text: line.slice(i + 1, end), column });
      i = end + 1;
    } else {
      while (i < line.length && line[i] !== " " && line[i] !== "\t") i++;
      words.push({ text: line.slice(column, i), column });
    }
  }
  return words;
}

interface Options {
  timeout?: number;
  packets?: number;
  bytes?: number;
  comment?: string;
  skbmark?: string;
  skbprio?: string;
  skbqueue?: number;
  position?: { where: "before" | "after"; set: string };
}

const NUMBERS: ReadonlyMap<string, readonly ["timeout" | "packets" | "bytes" | "skbqueue", number]> = new Map([
  ["timeout", ["timeout", 0xffffffff]],
  ["packets", ["packets", Number.MAX_SAFE_INTEGER]],
  ["bytes", ["bytes", Number.MAX_SAFE_INTEGER]],
  ["skbqueue", ["skbqueue", 65535]],
]);

/** The printed form: hexadecimal without leading zeros, the mask left out where it is all ones. */
function skbmark(text: string): string | undefined {
  const match = /^0[xX]([0-9a-fA-F]{1,8})(?:\/0[xX]([0-9a-fA-F]{1,8}))?$/.exec(text);
  if (match === null) return undefined;
  const hex = (digits: string): string => `0x${Number.parseInt(digits, 16).toString(16)}`;
  return match[2] === undefined || /^f{8}$/i.test(match[2]) ? hex(match[1]!) : `${hex(match[1]!)}/${hex(match[2])}`;
}

const skbprio = (text: string): string | undefined =>
  /^[0-9a-fA-F]{1,4}:[0-9a-fA-F]{1,4}$/.test(text)
    ? text
        .toLowerCase()
        .split(":")
        .map((half) => Number.parseInt(half, 16).toString(16))
        .join(":")
    : undefined;

/** The longest comment the kernel keeps (IPSET_MAX_COMMENT_SIZE). */
const MAX_COMMENT = 255;

export interface ParsedEntry {
  readonly entry: SetEntry;
  readonly problems: readonly EntryProblem[];
  /** `-exist` or `-!` stood among the options. */
  readonly exist: boolean;
}

/** Reads an element and its options by the type of its set: a member line, or what follows `add NAME`. */
export function parseEntry(
  words: readonly Word[],
  type: SetType,
  family: Family | undefined,
  origin: Origin,
): ParsedEntry {
  const problems: EntryProblem[] = [];
  const element = words[0] ?? { text: "", column: 0 };
  const list = type.method === "list";
  const legacy = list ? element.text.split(",", 3) : [];
  const parsed = parseElement(legacy.length === 3 ? legacy[0]! : element.text, type, family);
  for (const p of parsed.problems) {
    const at = Math.max(0, element.text.indexOf(p.text));
    problems.push({ column: element.column + at, length: p.text.length, message: `\`${p.text}\` ${p.reason}` });
  }
  const options: Options = {};
  if (legacy.length === 3 && (legacy[1] === "before" || legacy[1] === "after")) {
    options.position = { where: legacy[1], set: legacy[2]! };
  }
  let nomatch = false;
  let wildcard = false;
  let exist = false;
  const unknown: string[] = [];
  for (let i = 1; i < words.length; i++) {
    const word = words[i]!;
    const name = word.text.replace(/^--(?=\w)/, "");
    if (name === "nomatch") nomatch = true;
    else if (name === "wildcard") wildcard = true;
    else if (name === "-exist" || name === "-!" || name === "exist") exist = true;
    else {
      const value = words[i + 1];
      const reason = value === undefined ? undefined : take(options, name, value.text, list);
      if (reason === undefined) {
        unknown.push(word.text);
        problems.push({ ...span(word), message: `\`${word.text}\` is not an option of a set's entry` });
      } else {
        i++;
        if (reason === "") continue;
        unknown.push(word.text, value!.text);
        problems.push({ ...span(value!), message: `\`${value!.text}\` ${reason}` });
      }
    }
  }
  const parts: SetPart[] = parsed.parts.map((p) => (p.kind === "iface" && wildcard ? { ...p, wildcard } : p));
  const entry: SetEntry = {
    parts,
    nomatch,
    ...options,
    ...(unknown.length > 0 ? { unknown: unknown.join(" ") } : {}),
    origin,
  };
  return { entry, problems, exist };
}

const span = (word: Word) => ({ column: word.column, length: Math.max(1, word.text.length) });

/** Takes one option with a value: undefined where there is no such option, a reason where the value is wrong, "" if taken. */
function take(options: Options, name: string, value: string, list: boolean): string | undefined {
  const number = NUMBERS.get(name);
  if (number !== undefined) {
    if (!/^\d{1,20}$/.test(value) || Number(value) > number[1]) return "is not a number that fits";
    options[number[0]] = Number(value);
    return "";
  }
  if (name === "comment") {
    options.comment = value;
    return value.length > MAX_COMMENT ? `is longer than the ${MAX_COMMENT} characters of a comment` : "";
  }
  if (name === "skbmark") {
    const mark = skbmark(value);
    if (mark === undefined) return "is not a mark, or a mark and mask, in hexadecimal";
    options.skbmark = mark;
    return "";
  }
  if (name === "skbprio") {
    const prio = skbprio(value);
    if (prio === undefined) return "is not a class such as 1:10";
    options.skbprio = prio;
    return "";
  }
  if (list && (name === "before" || name === "after")) {
    options.position = { where: name, set: value };
    return "";
  }
  return undefined;
}

/** As ipset prints it in `list` and, after `add NAME `, in `save`. */
export function formatEntry(entry: SetEntry): string {
  const words = [formatElement(entry.parts)];
  if (entry.position !== undefined) words.push(entry.position.where, entry.position.set);
  if (entry.timeout !== undefined) words.push(`timeout ${entry.timeout}`);
  if (entry.nomatch) words.push("nomatch");
  if (entry.parts.some((p) => p.kind === "iface" && p.wildcard)) words.push("wildcard");
  if (entry.packets !== undefined) words.push(`packets ${entry.packets}`);
  if (entry.bytes !== undefined) words.push(`bytes ${entry.bytes}`);
  if (entry.comment !== undefined) words.push(`comment "${entry.comment}"`);
  if (entry.skbmark !== undefined) words.push(`skbmark ${entry.skbmark}`);
  if (entry.skbprio !== undefined) words.push(`skbprio ${entry.skbprio}`);
  if (entry.skbqueue !== undefined) words.push(`skbqueue ${entry.skbqueue}`);
  if (entry.unknown !== undefined) words.push(entry.unknown);
  return words.join(" ");
}
