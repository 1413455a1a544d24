import type { World } from "../model/index.ts";
import { SOURCE_KINDS, type Source, type Target } from "./flow.ts";
import { matchesGlob } from "./glob.ts";
import { isSource, isTarget, type Wanted } from "./plan.ts";
import { sourcesOf } from "./sources.ts";
import { targetsOf } from "./targets.ts";

/** The words of `--to` that name no single target. */
export const TARGET_WORDS = [
  "service",
  "dns",
  "apiserver",
  "pod",
  "kubelet",
  "clusterip",
  "nodeport",
  "external",
  "loadbalancer",
] as const;

/** A word that selects nothing: most often a slip of the pen. */
export interface Idle {
  readonly option: "from" | "to" | "node" | "namespace";
  readonly word: string;
  /** What the option could have meant: kinds, or the names that there are. */
  readonly known: readonly string[];
}

/** Names that are listed beside one that nobody has. */
const MAX_NAMES = 10;

/** The words that nobody in any of these Worlds answers to, whatever the other options say. */
export function idleWords(worlds: readonly World[], wanted: Wanted): readonly Idle[] {
  const { from = [], to = [], node = [], namespace = [] } = wanted;
  if (from.length + to.length + node.length + namespace.length === 0) return [];
  const sources: Source[] = [];
  const targets: Target[] = [];
  for (const world of worlds) {
    const own = sourcesOf(world);
    for (const source of own) sources.push(source);
    for (const target of targetsOf(world, own)) targets.push(target);
  }
  const isEmpty = sources.length === 0 && targets.length === 0;
  // A name says nothing of a case in which nobody is: then there is nothing to ask, whatever the word.
  const isIdle = (word: string, known: readonly string[], test: () => boolean): boolean =>
    !known.includes(word) && !(isEmpty && /[/.:*?]/.test(word)) && !test();
  const nodes = namesOf([...sources, ...targets].map((e) => e.node));
  const namespaces = namesOf([...sources, ...targets].map((e) => e.namespace));
  const named = (option: "node" | "namespace", words: readonly string[], names: readonly string[]): readonly Idle[] =>
    isEmpty
      ? []
      : words
          .filter((word) => !names.some((name) => matchesGlob(word, name)))
          .map((word) => ({ option, word, known: names.slice(0, MAX_NAMES) }));
  return [
    ...from
      .filter((word) => isIdle(word, SOURCE_KINDS, () => sources.some((s) => isSource(word, s))))
      .map((word): Idle => ({ option: "from", word, known: SOURCE_KINDS })),
    ...to
      .filter((word) => isIdle(word, TARGET_WORDS, () => targets.some((t) => isTarget(word, t))))
      .map((word): Idle => ({ option: "to", word, known: TARGET_WORDS })),
    ...named("node", node, nodes),
    ...named("namespace", namespace, namespaces),
  ];
}

const namesOf = (names: readonly (string | null)[]): readonly string[] =>
  [...new Set(names.filter((n) => n !== null))].sort();
