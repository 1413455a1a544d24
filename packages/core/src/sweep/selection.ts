import type { World } from "../model/index.ts";
import { knownServices, nearest } from "../trace/index.ts";
import { SOURCE_KINDS, type Source } from "./flow.ts";
import { matchesGlob } from "./glob.ts";
import { isSource, isTarget, targetName, type Wanted } from "./plan.ts";
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
  /** Those that look like the word. */
  readonly near: readonly string[];
}

/** Names that are listed beside one that nobody has. */
const MAX_NAMES = 10;

/** The words that nobody in any of these Worlds answers to, whatever the other options say. */
export function idleWords(worlds: readonly World[], wanted: Wanted): readonly Idle[] {
  const { from = [], to = [], node = [], namespace = [] } = wanted;
  const isKind = (words: readonly string[], kinds: readonly string[]): boolean => words.every((w) => kinds.includes(w));
  if (isKind(from, SOURCE_KINDS) && isKind(to, TARGET_WORDS) && node.length + namespace.length === 0) return [];
  const sources = worlds.map(sourcesOf);
  const all = sources.flat();
  const services = [
    ...worlds.flatMap(knownServices),
    ...worlds.flatMap((w) => w.loadBalancers).map(({ service }) => ({ namespace: service?.split("/")[0] ?? null })),
  ];
  const isEmpty = all.length === 0 && services.length === 0;
  // A name says nothing of a case in which nobody is: then there is nothing to ask, whatever the word.
  const isIdle = (word: string, known: readonly string[], test: () => boolean): boolean =>
    !known.includes(word) && !(isEmpty && /[/.:*?]/.test(word)) && !test();
  const named = (option: "node" | "namespace", words: readonly string[], names: readonly string[]): readonly Idle[] =>
    isEmpty
      ? []
      : words
          .filter((word) => !names.some((name) => matchesGlob(word, name)))
          .map((word) => ({ option, word, known: names.slice(0, MAX_NAMES), near: nearTo(word, names) }));
  const isAsked = (): readonly string[] =>
    namesOf([...TARGET_WORDS, ...worlds.flatMap((w, i) => targetsOf(w, sources[i]!).map(targetName))]);
  const isTargets = (word: string): boolean => worlds.some((w, i) => names(word, w, sources[i]!));
  return [
    ...from
      .filter((word) => isIdle(word, SOURCE_KINDS, () => all.some((s) => isSource(word, s))))
      .map((word): Idle => ({ option: "from", word, known: SOURCE_KINDS, near: nearTo(word, whoAsks(all)) })),
    ...to
      .filter((word) => isIdle(word, TARGET_WORDS, () => isTargets(word)))
      .map((word): Idle => ({ option: "to", word, known: TARGET_WORDS, near: nearTo(word, isAsked()) })),
    ...named("node", node, namesOf(all.map((s) => s.node))),
    ...named("namespace", namespace, namesOf([...all, ...services].map((e) => e.namespace))),
  ];
}

/** Whether the word names a target of it. A Service is one whatever nodes there are: with one of them it is found soonest. */
function names(word: string, world: World, sources: readonly Source[]): boolean {
  const [first, ...others] = world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined);
  const left = new Set(others);
  const small = first === undefined ? world : { ...world, stacks: world.stacks.filter((s) => !left.has(s)) };
  return (
    targetsOf(small, sources).some((t) => isTarget(word, t)) ||
    (left.size > 0 && targetsOf(world, sources).some((t) => isTarget(word, t)))
  );
}

const whoAsks = (sources: readonly Source[]): readonly string[] =>
  namesOf([...SOURCE_KINDS, ...sources.map(({ from }) => from.replace(/^stack\//, "pod/"))]);

/** A port that was said stays. */
function nearTo(word: string, names: readonly string[]): readonly string[] {
  const [, stem = word, port = ""] = /^(.*?)(:\d+)?$/.exec(word) ?? [];
  return nearest(stem, names).map((name) => name + (name.includes("/") ? port : ""));
}

const namesOf = (names: readonly (string | null)[]): readonly string[] =>
  [...new Set(names.filter((n) => n !== null))].sort();
