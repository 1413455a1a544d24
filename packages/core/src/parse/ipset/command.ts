import type { Origin, SetOption } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import type { Family } from "../../net/index.ts";
import { type EntryProblem, parseEntry, type Word } from "./entry.ts";
import { inferType } from "./infer.ts";
import { parseOptions } from "./options.ts";
import { type SetType, setType } from "./types.ts";

/** One `ipset` command as typed, or a line of `ipset save`. What an element means is known once its set is. */
export interface IpsetCommand {
  readonly operation: IpsetOperation;
  /** `-exist`, `-!`: what is already so is no error. */
  readonly exist: boolean;
  readonly origin: Origin;
}

export type IpsetOperation =
  | {
      readonly kind: "create";
      readonly set: string;
      readonly type: SetType;
      readonly family: Family;
      readonly options: readonly SetOption[];
    }
  | { readonly kind: "add" | "del" | "test"; readonly set: string; readonly words: readonly Word[] }
  /** Without a name: all sets. */
  | { readonly kind: "destroy" | "flush"; readonly set?: string }
  | { readonly kind: "rename" | "swap"; readonly set: string; readonly other: string };

export interface ParsedCommand {
  readonly command?: IpsetCommand;
  readonly problems: readonly EntryProblem[];
}

const COMMANDS = [
  "create",
  "add",
  "del",
  "test",
  "destroy",
  "list",
  "save",
  "restore",
  "flush",
  "rename",
  "swap",
] as const;
type CommandName = (typeof COMMANDS)[number];
const LETTERS: Readonly<Record<string, CommandName>> = lookup({
  n: "create",
  x: "destroy",
  e: "rename",
  w: "swap",
  "-N": "create",
  "-A": "add",
  "-D": "del",
  "-T": "test",
  "-X": "destroy",
  "-L": "list",
  "-S": "save",
  "-R": "restore",
  "-F": "flush",
  "-E": "rename",
  "-W": "swap",
});
/** Commands may be cut short; the first in this order that fits is meant. */
const commandNamed = (word: string): CommandName | undefined =>
  LETTERS[word] ?? COMMANDS.find((c) => c.startsWith(word.replace(/^--/, "")) && word !== "" && word !== "--");

const span = (word: Word) => ({ column: word.column, length: Math.max(1, word.text.length) });

/** Reads the words after `ipset`. */
export function parseCommand(words: readonly Word[], origin: Origin): ParsedCommand {
  let exist = false;
  let at = 0;
  for (; at < words.length; at++) {
    const text = words[at]!.text;
    if (text === "-!" || /^--?exist$/.test(text)) exist = true;
    else if (/^-(?:o|f|-?output|-?file)$/.test(text)) at++;
    else if (!/^-(?:[qrsnt]|-?(?:quiet|resolve|sorted|name|terse))$/.test(text)) break;
  }
  const verb = words[at];
  const name = verb === undefined ? undefined : commandNamed(verb.text);
  if (verb === undefined || name === undefined) {
    return { problems: [{ ...span(verb ?? { text: "", column: 0 }), message: "not an ipset command" }] };
  }
  let rest = words.slice(at + 1);
  if (rest.some((w) => w.text === "-!" || w.text === "-exist")) {
    exist = true;
    rest = rest.filter((w) => w.text !== "-!" && w.text !== "-exist");
  }
  const made = (operation: IpsetOperation, problems: readonly EntryProblem[] = []): ParsedCommand => ({
    command: { operation, exist, origin },
    problems,
  });
  const lacks = (what: string): ParsedCommand => ({
    problems: [{ ...span(rest[rest.length - 1] ?? verb), message: `${name} lacks ${what}` }],
  });
  const [set, second] = rest;
  switch (name) {
    case "create":
      return create(rest, lacks, made);
    case "add":
    case "del":
    case "test": {
      if (set === undefined) return lacks("the name of a set");
      if (second === undefined) return lacks("an element");
      const entry = rest.slice(1);
      return made({ kind: name, set: set.text, words: entry }, shapeProblems(entry, origin));
    }
    case "destroy":
    case "flush":
      return made(set === undefined ? { kind: name } : { kind: name, set: set.text });
    case "rename":
    case "swap":
      if (set === undefined || second === undefined) return lacks("two names of sets");
      return made({ kind: name, set: set.text, other: second.text });
    default:
      return { problems: [{ ...span(verb), message: `\`${verb.text}\` changes nothing` }] };
  }
}

/** A set's name may hold blanks, and is printed without quotes: the name ends where a type begins. */
function create(
  rest: readonly Word[],
  lacks: (what: string) => ParsedCommand,
  made: (operation: IpsetOperation, problems?: readonly EntryProblem[]) => ParsedCommand,
): ParsedCommand {
  const typeAt = rest.findIndex((w, i) => i > 0 && setType(w.text) !== undefined);
  if (rest.length < 2) return lacks(rest.length === 0 ? "the name of a set" : "a type");
  if (typeAt < 0) {
    const word = rest[1]!;
    return { problems: [{ ...span(word), message: `\`${word.text}\` is not a type of set` }] };
  }
  const type = setType(rest[typeAt]!.text)!;
  const parsed = parseOptions(rest.slice(typeAt + 1), type);
  const set = rest
    .slice(0, typeAt)
    .map((w) => w.text)
    .join(" ");
  return made({ kind: "create", set, type, family: parsed.family, options: parsed.options }, parsed.problems);
}

/** What can be seen to be wrong with an element before its set is known. */
function shapeProblems(words: readonly Word[], origin: Origin): readonly EntryProblem[] {
  const shape = inferType(words[0]!.text);
  const guess: SetType = shape?.type ?? { method: "list", dimensions: ["set"] };
  const { problems } = parseEntry(words, guess, shape?.family, origin);
  const element = words[0]!;
  return shape === undefined ? problems.filter((p) => p.column !== element.column) : problems;
}
