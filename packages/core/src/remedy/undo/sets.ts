import type { IpSet } from "../../model/index.ts";
import { nameWord, shellLine } from "../../model/shell.ts";
import { formatEntry } from "../../parse/ipset/entry.ts";
import { formatOptions } from "../../parse/ipset/options.ts";
import { typeName } from "../../parse/ipset/types.ts";

const words = (text: string): readonly string[] => text.split(" ").filter((w) => w !== "");

/** Sets and their members back as they were. */
export function undoSets(before: readonly IpSet[], after: readonly IpSet[]): readonly string[] {
  const was = new Map(before.map((s) => [s.name, s]));
  const is = new Map(after.map((s) => [s.name, s]));
  const commands: string[] = [];
  for (const set of after) {
    if (was.has(set.name)) continue;
    commands.push(shellLine(["ipset", "destroy", nameWord(set.name)]));
  }
  for (const set of before) {
    const now = is.get(set.name);
    if (now === set) continue;
    const name = nameWord(set.name);
    if (now === undefined)
      commands.push(shellLine(["ipset", "create", name, typeName(set), ...words(formatOptions(set.options))]));
    const had = new Set(set.entries.map((e) => formatEntry(e)));
    const has = new Set((now?.entries ?? []).map((e) => formatEntry(e)));
    for (const entry of now?.entries ?? []) {
      const shown = formatEntry(entry);
      if (!had.has(shown)) commands.push(shellLine(["ipset", "del", name, words(shown)[0] ?? ""]));
    }
    for (const entry of set.entries) {
      const shown = formatEntry(entry);
      if (!has.has(shown)) commands.push(shellLine(["ipset", "add", name, ...words(shown)]));
    }
  }
  return commands;
}
