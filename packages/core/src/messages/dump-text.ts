import type { Lang } from "./text.ts";
import { counted, notRead, titles } from "./zh/reading/dumps.ts";

/** What `check` counts in a dump: the plural, as English says it. */
export type CountNoun = keyof typeof counted;

/** How many of what a dump holds. */
export type Counts = Readonly<Partial<Record<CountNoun, number>>>;

const singular = (noun: string): string =>
  noun.endsWith("sses") ? noun.slice(0, -2) : noun.endsWith("ies") ? `${noun.slice(0, -3)}y` : noun.replace(/s$/, "");

/** `1 rule, 3 chains`; what there is none of is said, too. */
export function countsText(counts: Counts, lang: Lang): string {
  const all = (Object.entries(counts) as [CountNoun, number][]).map(([noun, n]) =>
    lang === "zh" ? counted[noun].replace("{n}", String(n)) : `${n} ${n === 1 ? singular(noun) : noun}`,
  );
  return all.join(lang === "zh" ? "、" : ", ");
}

/** What a dump or a support bundle is called. Names of commands and files are the same in every language. */
export const dumpTitle = (id: string, title: string, lang: Lang): string =>
  lang === "zh" ? (titles[id] ?? title) : title;

/** What a dump is that nothing reads yet. */
export const notReadText = (what: string, lang: Lang): string => (lang === "zh" ? (notRead[what] ?? what) : what);
