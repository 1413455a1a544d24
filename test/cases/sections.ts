import type { CaseInput } from "../../packages/core/src/parse/index.ts";

/** A part of a dump that a person may leave out: a table, a set. */
export interface Section {
  readonly name: string;
  /** The dump without it. */
  readonly without: string;
}

/** Blocks that begin with a line of this form and go on to the next such line. */
const BLOCKS: readonly (readonly [RegExp, RegExp])[] = [
  [/iptables[\w-]*save/, /^\*(\w+)/],
  [/ipset-list/, /^Name: (\S+)/],
];

export function sectionsOf({ path, text = "" }: CaseInput): readonly Section[] {
  const lines = text.split("\n");
  const head = BLOCKS.find(([file]) => file.test(path))?.[1];
  if (head !== undefined) {
    const starts = lines.flatMap((line, at) => (head.test(line) ? [at] : []));
    if (starts.length < 2) return [];
    return starts.map((from, i) => ({
      name: head.exec(lines[from]!)?.[1] ?? "",
      without: [...lines.slice(0, from), ...lines.slice(starts[i + 1] ?? lines.length)].join("\n"),
    }));
  }
  if (/ip-route-table-all/.test(path)) {
    const tableOf = (line: string): string => / table (\S+)/.exec(line)?.[1] ?? "main";
    return [...new Set(lines.filter((l) => l !== "").map(tableOf))].map((table) => ({
      name: `table ${table}`,
      without: lines.filter((l) => l === "" || tableOf(l) !== table).join("\n"),
    }));
  }
  if (/ipset-save/.test(path)) {
    const sets = [...new Set(lines.flatMap((l) => /^create (\S+)/.exec(l)?.[1] ?? []))];
    return sets.map((set) => ({
      name: `set ${set}`,
      without: lines.filter((l) => !new RegExp(`^(?:create|add) ${set} `).test(l)).join("\n"),
    }));
  }
  return [];
}
