import type { IpSet, SetEntry } from "@hairpin/core/model/index.ts";
import { formatEntry } from "@hairpin/core/parse/ipset/entry.ts";
import { formatOptions } from "@hairpin/core/parse/ipset/options.ts";
import { typeName } from "@hairpin/core/parse/ipset/types.ts";
import { attempt, type Refusal } from "./refusal.ts";
import { Unspeakable } from "./words.ts";

export function setWord(name: string): string {
  if (!/^[^\s"'\\#\0-\x1f\x7f-][^\s"'\\#\0-\x1f\x7f]{0,30}$/.test(name)) {
    throw new Unspeakable(`${JSON.stringify(name)} is not a set name the lab passes on`);
  }
  return name;
}

/** One member, for `add SET …`. Comments decide nothing and are left out. */
export function entryText(entry: SetEntry): string {
  for (const part of entry.parts) {
    if (part.kind === "unknown") throw new Unspeakable(`an element that was not understood: ${part.text}`);
    if (part.kind === "set") setWord(part.name);
  }
  const { comment: _comment, packets: _packets, bytes: _bytes, ...bare } = entry;
  const text = formatEntry(bare);
  if (/["'\\#\0-\x1f\x7f]/.test(text)) throw new Unspeakable(`${JSON.stringify(text)} is not passed on`);
  return text;
}

/** Input of `ipset restore`: all sets first, since a list:set names others. */
export function ipsetRestore(stack: string, sets: readonly IpSet[], refused: Refusal[]): string {
  const creates: string[] = [];
  const adds: string[] = [];
  for (const set of sets) {
    attempt(refused, stack, `ipset ${set.name}`, () => {
      const options = formatOptions(set.options.filter((o) => o.name !== "comment"));
      if (/["'\\#\0-\x1f\x7f]/.test(options)) throw new Unspeakable("its options are not passed on");
      creates.push(`create ${setWord(set.name)} ${typeName(set)} ${options}`.trimEnd());
      for (const entry of set.entries) {
        attempt(refused, stack, `a member of ipset ${set.name}`, () => {
          adds.push(`add ${set.name} ${entryText(entry)}`);
        });
      }
    });
  }
  return [...creates, ...adds].map((text) => `${text}\n`).join("");
}
