import type { Text } from "../../messages/index.ts";
import type { Answer } from "../answer.ts";
import { lineWord } from "./cast.ts";

/** After so many answers that were another than what would have been told, all are walked. */
const MOST_MISSES = 3;

/** An answer that was walked, and where in its cast the words are that it is told with. */
interface Told {
  readonly answer: Answer;
  readonly cast: readonly string[];
  readonly whose: string;
  readonly uses: ReadonlyMap<string, readonly number[]>;
  readonly words: RegExp | undefined;
  /** Words of which a walk has shown that another stands in their place for one who is like the one that they name. */
  readonly proven: Set<string>;
  /** A walk has shown as much of flows to the same Service, and of such to others. */
  readonly held: { same: boolean; other: boolean };
  misses: number;
}

/**
 * Answers that were walked, told of flows like those that they were walked for: with other names, addresses and lines in the same places. That this
 * is what a walk says is tried before it is believed: of an answer's first flow like it, and of each word in it that is another for the first time.
 */
export class Retelling {
  readonly #told = new Map<string, Told>();

  /** `whose`: the Service that is asked. */
  of(
    key: string,
    whose: string,
    castOf: () => readonly string[],
    walk: () => Answer,
  ): { answer: Answer; walked: boolean } {
    const known = this.#told.get(key);
    if (known === undefined) {
      const answer = walk();
      this.#told.set(key, toldOf(answer, whose, castOf()));
      return { answer, walked: true };
    }
    if (saysNothing(known.answer)) return { answer: known.answer, walked: false };
    const again = known.misses >= MOST_MISSES ? undefined : retold(known, castOf());
    if (again === undefined) return { answer: walk(), walked: true };
    const relation = whose === known.whose ? "same" : "other";
    if (known.held[relation] && again.changed.every((word) => known.proven.has(word)))
      return { answer: again.answer, walked: false };
    const answer = walk();
    if (textOf(answer) === textOf(again.answer)) {
      known.held[relation] = true;
      for (const word of again.changed) known.proven.add(word);
    } else known.misses++;
    return { answer, walked: true };
  }
}

/** Of what is open, which walks meet in the order in which endpoints are listed, all is equally so. */
const textOf = (answer: Answer): string =>
  JSON.stringify({ ...answer, facts: answer.facts.map((f) => f.fact + f.command).sort() });

const saysNothing = ({ causes, facts, fix }: Answer): boolean =>
  causes.length === 0 && facts.length === 0 && fix === null;

function toldOf(answer: Answer, whose: string, cast: readonly string[]): Told {
  const places = new Map<string, number[]>();
  for (const [i, word] of cast.entries()) {
    if (word === "") continue;
    const known = places.get(word);
    if (known === undefined) places.set(word, [i]);
    else known.push(i);
  }
  const uses = new Map<string, readonly number[]>();
  const use = (word: string): string => {
    const own = places.get(word);
    if (own !== undefined) uses.set(word, own);
    return word;
  };
  const all = wordsOf(places.keys());
  withWords(answer, (text) => (all === undefined ? text : text.replace(all, use)), use);
  const words = wordsOf(uses.keys());
  return { answer, cast, whose, uses, words, proven: new Set(), held: { same: false, other: false }, misses: 0 };
}

/** Where one of them stands by itself, the longest first; lines are not in texts. */
function wordsOf(words: Iterable<string>): RegExp | undefined {
  const all = [...words].filter((w) => !w.startsWith("\n")).sort((a, b) => b.length - a.length);
  if (all.length === 0) return undefined;
  const either = (own: readonly string[]): string => own.map((w) => w.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
  const [six, others] = [all.filter((w) => w.includes(":")), all.filter((w) => !w.includes(":"))];
  const parts = [
    ...(six.length === 0 ? [] : [`(?<![\\w:.-])(?:${either(six)})(?![\\w:-]|[.]\\w)`]),
    ...(others.length === 0 ? [] : [`(?<![\\w-]|\\w[.])(?:${either(others)})(?![\\w-]|[.]\\w)`]),
  ];
  return new RegExp(parts.join("|"), "g");
}

/** The same answer with who stands in the places of those that it names; undefined: one name stands for two. */
function retold(
  { answer, cast: own, uses, words }: Told,
  cast: readonly string[],
): { readonly answer: Answer; readonly changed: readonly string[] } | undefined {
  if (cast.length !== own.length) return undefined;
  const names = new Map<string, string>();
  const changed: string[] = [];
  for (const [word, places] of uses) {
    const name = cast[places[0]!]!;
    if (name === "" || places.some((i) => cast[i] !== name)) return undefined;
    names.set(word, name);
    if (name !== word) changed.push(word);
  }
  if (changed.length === 0) return { answer, changed };
  const named = (word: string): string => names.get(word) ?? word;
  return {
    answer: withWords(answer, (text) => (words === undefined ? text : text.replace(words, named)), named),
    changed,
  };
}

/** An answer with each text of its own, and each line. */
function withWords(answer: Answer, told: (text: string) => string, line: (word: string) => string): Answer {
  const inText = (text: Text | string): Text | string => (typeof text === "string" ? told(text) : inParams(text, told));
  return {
    ...answer,
    causes: answer.causes.map((cause) => ({
      ...cause,
      stack: told(cause.stack),
      summary: inText(cause.summary),
      evidence: cause.evidence.map((e) => {
        const [, file, number] = /^\n(.*):(\d+)$/s.exec(line(lineWord(e.file, e.line)))!;
        return { file: file!, line: Number(number) };
      }),
    })),
    facts: answer.facts.map(({ fact, command }) => ({
      fact: told(fact),
      command: command === null ? null : told(command),
    })),
    fix: answer.fix && {
      ...answer.fix,
      summary: inText(answer.fix.summary),
      commands: answer.fix.commands.map(told),
    },
  };
}

function inParams(text: Text, told: (text: string) => string): Text {
  type Param = Text["params"][string];
  const inOne = (param: Param): Param => {
    if (typeof param === "string") return told(param);
    if (typeof param === "number") {
      const number = Number(told(String(param)));
      return Number.isNaN(number) ? param : number;
    }
    return "id" in param ? inParams(param, told) : param.map((p) => inOne(p) as string | Text);
  };
  return { ...text, params: Object.fromEntries(Object.entries(text.params).map(([k, v]) => [k, inOne(v)])) };
}
