import type { Match, Rule, Target } from "../../model/index.ts";
import { criteriaOf } from "./criteria.ts";

/** What one place of a chain asks and does: a rule, or several that together are one choice. */
export interface Item {
  /** Equal for two items that mean the same. */
  readonly key: string;
  /** The part of the key that says which packets it is about. */
  readonly match: string;
  /** Says what it does; jumps by what is in the chain, not by its name. */
  readonly effect: string;
  readonly rules: readonly Rule[];
  /** Where it stands in its chain as read. */
  readonly at: number;
}

/** Shared by everything that is compared: equal texts get equal, short names. */
export class Names {
  readonly #ids = new Map<string, string>();

  of(text: string): string {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = `#${this.#ids.size}`;
      this.#ids.set(text, id);
    }
    return id;
  }
}

/** Lists and buckets that rules share by name: asking one changes what the next is told. */
const SHARED: ReadonlySet<Match["kind"]> = new Set<Match["kind"]>(["recent", "hashlimit", "other", "unknown"]);
const UNSEEN: ReadonlySet<Target["kind"]> = new Set<Target["kind"]>(["none", "log", "nflog", "trace"]);

/** A rule that only counts or logs: no packet fares otherwise for it. */
export const isIdle = (rule: Rule): boolean =>
  UNSEEN.has(rule.target.kind) && !rule.matches.some((m) => SHARED.has(m.kind));

/** One chance in a run of rules that share out packets: its own odds where the rule is reached, else 1. */
export function oddsOf(rule: Rule): number | undefined {
  const chances = rule.matches.filter((m) => m.kind === "statistic");
  if (chances.length === 0) return 1;
  const [chance] = chances;
  if (chances.length > 1 || chance!.mode !== "random" || chance!.negated) return undefined;
  return chance!.probability / 0x80000000;
}

/** What it asks beside the draw. */
export const besideOdds = (rule: Rule, nameList: (name: string) => string): string =>
  criteriaOf(
    rule.matches.some((m) => m.kind === "statistic")
      ? { ...rule, matches: rule.matches.filter((m) => m.kind !== "statistic") }
      : rule,
    nameList,
  ).join(" & ");
