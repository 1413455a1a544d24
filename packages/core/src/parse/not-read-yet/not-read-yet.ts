import type { Claim, Dialect } from "../dialect.ts";

interface Recognition {
  readonly id: string;
  readonly title: string;
  /** What `check` says it is. */
  readonly what: string;
  readonly printedBy: (words: readonly string[]) => boolean;
  readonly claim: (line: string) => Claim;
}

/** A dialect that is recognised and kept out of the way of the others; a later version reads it. */
export const notReadYet = ({ id, title, what, printedBy, claim }: Recognition): Dialect => ({
  id,
  title,
  printedBy,
  claim: (line) => claim(line.slice(0, GLANCE)),
  read: (source) => ({
    facts: [{ kind: "not-read-yet", what }],
    diagnostics: [],
    counts: { lines: source.lines.length },
  }),
});

/** A claim must not cost more than a glance, however long the line. */
const GLANCE = 2000;

export const tool = (words: readonly string[]): string => (words[0] ?? "").slice((words[0] ?? "").lastIndexOf("/") + 1);
export const isTool =
  (...names: readonly string[]) =>
  (words: readonly string[]): boolean =>
    names.includes(tool(words));
const SHOWERS = new Set(["cat", "less", "more", "head", "tail", "grep", "egrep", "zcat", "zgrep"]);
export const showsFile = (words: readonly string[], path: RegExp): boolean =>
  SHOWERS.has(tool(words)) && words.slice(1).some((w) => path.test(w));

export const when = (test: boolean, claim: Claim): Claim => (test ? claim : "no");
