import type { DumpContext } from "../dialect.ts";

/** What the echoed command asked for: one set by name, headers only. */
export interface Requested {
  /** Undefined where no command is known; null where it asked for all sets. */
  readonly set: string | null | undefined;
  readonly terse: boolean;
}

export function requested(context: DumpContext): Requested {
  const words = context.command;
  if (words === undefined || !/(?:^|\/)ipset$/.test(words[0] ?? "")) return { set: undefined, terse: false };
  let verb = false;
  let set: string | null = null;
  let terse = false;
  for (let i = 1; i < words.length; i++) {
    const word = words[i]!;
    if (/^-(?:o|f|-?output|-?file)$/.test(word)) i++;
    else if (word === "-t" || word === "-terse" || word === "--terse") terse = true;
    else if (!verb && !/^-(?:[!qrsn]|-?(?:exist|quiet|resolve|sorted|name))$/.test(word)) verb = true;
    else if (verb && !word.startsWith("-")) set ??= word;
  }
  return { set, terse };
}

/** Whether lines were taken out of the listing. One set asked for by name is shown whole. */
export const isFiltered = (context: DumpContext): boolean => context.partial !== undefined;
