import type { IpSet, SetEntry, SetPart } from "@hairpin/core/model/index.ts";
import {
  deviceWord,
  type Input,
  inputOf,
  joined,
  type Line,
  lineOf,
  macWord,
  numberWord,
  oneOf,
  setEntryWord,
  setWord,
  type Word,
  words,
} from "@hairpin/core/model/word.ts";
import { formatPart } from "@hairpin/core/parse/ipset/element.ts";
import { isSetOption } from "@hairpin/core/parse/ipset/options.ts";
import { SET_TYPES, typeName } from "@hairpin/core/parse/ipset/types.ts";
import { attempt, type Refusal, Unspeakable } from "./refusal.ts";

/** ipset reads a line of 1,023 bytes at once. */
const setLine = (args: readonly Word[]): Line => lineOf(args, 1000);

function partWord(part: SetPart): Word {
  if (part.kind === "unknown") throw new Unspeakable(`an element that was not understood: ${part.text}`);
  if (part.kind === "set") setWord(part.name);
  if (part.kind === "iface") deviceWord(part.name);
  if (part.kind === "mac") macWord(part.mac.toLowerCase());
  return setEntryWord(formatPart(part));
}

/** One member, for `add SET …`. Comments and what was not understood decide nothing and are left out. */
function entryWords(entry: SetEntry): readonly Word[] {
  const argv: Word[] = [joined(",", ...entry.parts.map(partWord))];
  const { position, timeout, packets, bytes, skbmark, skbprio, skbqueue } = entry;
  if (position !== undefined) argv.push(oneOf(position.where, ["before", "after"]), setWord(position.set));
  if (timeout !== undefined) argv.push(...words`timeout ${numberWord(timeout)}`);
  if (packets !== undefined) argv.push(...words`packets ${numberWord(packets)}`);
  if (bytes !== undefined) argv.push(...words`bytes ${numberWord(bytes)}`);
  if (entry.nomatch) argv.push(...words`nomatch`);
  if (entry.parts.some((p) => p.kind === "iface" && p.wildcard)) argv.push(...words`wildcard`);
  if (skbmark !== undefined) argv.push(...words`skbmark ${setEntryWord(skbmark)}`);
  if (skbprio !== undefined) argv.push(...words`skbprio ${setEntryWord(skbprio)}`);
  if (skbqueue !== undefined) argv.push(...words`skbqueue ${numberWord(skbqueue)}`);
  return argv;
}

export const entryLine = (verb: "add" | "del", set: string, entry: SetEntry): Line =>
  setLine(words`${oneOf(verb, ["add", "del"])} ${setWord(set)} ${entryWords(entry)}`);

function createLine(set: IpSet): Line {
  const options = set.options
    .filter((o) => o.name !== "comment")
    .flatMap(({ name, value }) => {
      if (!isSetOption(name)) throw new Unspeakable(`an option that was not understood: ${name}`);
      return value === undefined ? [setEntryWord(name)] : [setEntryWord(name), setEntryWord(value)];
    });
  return setLine(words`create ${setWord(set.name)} ${oneOf(typeName(set), SET_TYPES)} ${options}`);
}

/** Input of `ipset restore`: all sets first, since a list:set names others. */
export function ipsetRestore(stack: string, sets: readonly IpSet[], refused: Refusal[]): Input {
  const creates: Line[] = [];
  const adds: Line[] = [];
  for (const set of sets) {
    attempt(refused, { stack, what: `ipset ${set.name}`, origin: set.origin }, () => {
      creates.push(createLine(set));
      for (const entry of set.entries) {
        attempt(refused, { stack, what: `a member of ipset ${set.name}`, origin: entry.origin }, () => {
          adds.push(entryLine("add", set.name, entry));
        });
      }
    });
  }
  return inputOf([...creates, ...adds]);
}
