import type { IpSet } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { formatEntry } from "./entry.ts";
import { formatOptions } from "./options.ts";
import { typeName } from "./types.ts";

const withOptions = (text: string, set: IpSet): string =>
  set.options.length === 0 ? text : `${text} ${formatOptions(set.options)}`;

/** As `ipset save` prints it: one create line, then its members. */
export function printSave(sets: readonly IpSet[]): string {
  const lines: string[] = [];
  for (const set of sets) {
    lines.push(withOptions(`create ${set.name} ${typeName(set)}`, set));
    for (const entry of set.entries) lines.push(`add ${set.name} ${formatEntry(entry)}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** As `ipset list` prints it, or `ipset list -t` with `terse`. */
export function printList(sets: readonly IpSet[], terse = false): string {
  return sets.map((set) => printOne(set, terse)).join("\n");
}

function printOne(set: IpSet, terse: boolean): string {
  const lines = [`Name: ${set.name}`, `Type: ${typeName(set)}`];
  if (set.revision !== undefined) lines.push(`Revision: ${set.revision}`);
  lines.push(withOptions("Header:", set));
  if (set.sizeInMemory !== undefined) lines.push(`Size in memory: ${set.sizeInMemory}`);
  if (set.references !== undefined) lines.push(`References: ${set.references}`);
  if (set.numberOfEntries !== undefined) lines.push(`Number of entries: ${set.numberOfEntries}`);
  if (!terse) append(lines, ["Members:", ...set.entries.map(formatEntry)]);
  return lines.map((line) => `${line}\n`).join("");
}
