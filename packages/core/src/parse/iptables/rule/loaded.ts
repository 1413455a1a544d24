import type { Match, Negatable, Target } from "../../../model/index.ts";
import type { Extension, KeyedField, MakeContext, Occurrence, RuleContext } from "./extension.ts";
import type { Report } from "./reader.ts";
import { rawWord, type Words } from "./words.ts";

/** An extension that a rule has loaded with -m or -j, and what was given for it so far. */
export interface Loaded {
  /** Undefined: not known to this reader. */
  readonly extension: Extension<Match | Target> | undefined;
  readonly name: string;
  readonly values: Record<string, Negatable<unknown>>;
  readonly observed: Set<string>;
  readonly occurrences: Occurrence[];
  /** Its words, -m NAME included, for quoting it verbatim. */
  readonly words: number[];
  /** Something in it was not understood: it is kept as text. */
  broken: boolean;
}

export const load = (
  extension: Extension<Match | Target> | undefined,
  name: string,
  ...words: readonly number[]
): Loaded => ({
  extension,
  name,
  values: {},
  observed: new Set(),
  occurrences: [],
  words: [...words],
  broken: extension === undefined,
});

export const verbatim = (loaded: Loaded, words: Words): string => loaded.words.map((i) => rawWord(words, i)).join(" ");

/** Notes one option. The caller has read the value; `undefined` means that it could not be read. */
export function give(
  loaded: Loaded,
  field: KeyedField,
  value: unknown,
  negated: boolean,
  at: number,
  report: Report,
): void {
  if (loaded.observed.has(field.key) && !field.many) {
    report("warning", "iptables-option-twice", `${field.option} is given twice`, at);
    loaded.broken = true;
    return;
  }
  loaded.observed.add(field.key);
  loaded.occurrences.push({ key: field.key, value, negated });
  if (negated || !field.everything?.(value)) loaded.values[field.key] = { value, negated };
}

/** The record of what was given, or undefined where it must stay text. */
export function make<R extends Match | Target>(
  loaded: Loaded,
  context: RuleContext,
  matches: readonly Match[],
  report: Report,
): R | undefined {
  const extension = loaded.extension;
  if (extension === undefined || loaded.broken) return undefined;
  const at = loaded.words[0] ?? 0;
  for (const field of extension.fields) {
    if (field.required && !loaded.observed.has(field.key)) {
      report("warning", "iptables-missing-option", `${extension.name} needs ${field.option}`, at);
      return undefined;
    }
  }
  const full: MakeContext = { ...context, occurrences: loaded.occurrences, matches };
  const record = extension.make(loaded.values, full);
  if (typeof record === "string") {
    report("warning", "iptables-bad-options", `${extension.name}: ${record}`, at);
    return undefined;
  }
  return record as R;
}
