import { verbatim } from "@hairpin/core/messages/index.ts";
import {
  BadWord,
  chainWord,
  type Input,
  inputOf,
  type Line,
  lineOf,
  oneOf,
  setEntryWord,
  setWord,
  type Word,
} from "@hairpin/core/model/word.ts";
import { Trouble } from "./item.ts";

export { type Input, inputOf, type Line, type Word, words } from "@hairpin/core/model/word.ts";

/** What a case says reaches tools that run as root, and only as words: one that is none is trouble, before anything is touched. */
function checked<T>(made: () => T): T {
  try {
    return made();
  } catch (error) {
    if (error instanceof BadWord) throw new Trouble(verbatim(error.message));
    throw error;
  }
}

export const setName = (text: string): Word => checked(() => setWord(text));
export const chainName = (text: string): Word => checked(() => chainWord(text));

const TABLES = ["raw", "mangle", "nat", "filter", "security"] as const;
export const tableName = (text: string): Word => checked(() => oneOf(text, TABLES));
export const policyName = (text: string): Word => checked(() => oneOf(text, ["ACCEPT", "DROP"]));

/** The words behind `ipset add NAME`: arguments of their own, of which only a comment may hold blanks. */
export const setWords = (texts: readonly string[]): readonly Word[] =>
  checked(() =>
    texts.map((text, i) => {
      if (texts[i - 1] !== "comment" || i < 2) return setEntryWord(text);
      if (text.length > 255 || /["\0-\x1f\x7f-\x9f]/.test(text)) throw new BadWord("set-word", text);
      return text as Word;
    }),
  );

/** A line that `ipset save` printed, as bytes: what is not ASCII stays as it was. */
export const savedLine = (line: string): Line =>
  checked(() => {
    if (line === "" || /[\0-\x1f\x7f]/.test(line)) throw new BadWord("set-word", line);
    return line as Line;
  });

/** A change of a chain for iptables-restore: never two, and never the option that names a program to run (`-M`, `--modprobe`). */
export const ruleLine = (line: string): Line =>
  checked(() => {
    const outside = line.replace(/"(?:[^"\\]|\\.)*"/g, '""');
    if (/(?:^|\s)(?:-M|--mo)/.test(outside)) throw new BadWord("rule-word", line);
    // Printed from the typed rule, its words quoted; looked at once more for the end of a line.
    return lineOf([line as Word]);
  });

/** All that iptables-restore is told of one table. */
export const tableInput = (table: string, lines: readonly string[]): Input =>
  checked(() =>
    inputOf([
      lineOf([
        oneOf(
          `*${table}`,
          TABLES.map((t) => `*${t}` as const),
        ),
      ]),
      ...lines.map(ruleLine),
      lineOf(["COMMIT" as Word]),
    ]),
  );

/** A family, table or chain of nft: kube-proxy's chains hold slashes. */
export const nftName = (text: string): Word =>
  checked(() => {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$/.test(text)) throw new BadWord("rule-word", text);
    return text as Word;
  });

/** All that nft is told in one transaction; printed from typed rules, and looked at once more for a second command on a line or a file. */
export const nftInput = (lines: readonly string[]): Input =>
  checked(() =>
    inputOf(
      lines.map((line) => {
        const outside = line.replace(/"[^"]*"/g, '""').replace(/\{[^{}]*\}/g, "{}");
        if (/[;\\\n\r$]|(?:^|\s)(?:include|define|undefine)\s/.test(outside)) throw new BadWord("rule-word", line);
        return lineOf([line as Word]);
      }),
    ),
  );

/** The arguments of `ip`, printed from a typed rule or route. */
export const ipWords = (texts: readonly string[]): readonly Word[] =>
  checked(() => texts.map((text) => (text === "-4" || text === "-6" ? (text as Word) : setEntryWord(text))));
