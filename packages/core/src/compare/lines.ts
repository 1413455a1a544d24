import { linesOf, type Origin } from "../model/index.ts";
import { type Exploration, legsOf } from "../trace/index.ts";
import type { Element } from "./element.ts";

/** Lines of one side's dumps by number, so that what walks came by is held against what differs without a text for each. */
export class Lines {
  readonly #numbers = new Map<string, Map<number, number>>();
  readonly #of = new WeakMap<Origin, readonly number[]>();
  #count = 0;

  of(origin: Origin): readonly number[] {
    let known = this.#of.get(origin);
    if (known === undefined) {
      known = linesOf(origin).map(({ file, line }) => this.#number(file, line));
      this.#of.set(origin, known);
    }
    return known;
  }

  ofAll(origins: readonly Origin[]): readonly number[] {
    return origins.flatMap((o) => this.of(o));
  }

  #number(file: string, line: number): number {
    let lines = this.#numbers.get(file);
    if (lines === undefined) {
      lines = new Map();
      this.#numbers.set(file, lines);
    }
    let number = lines.get(line);
    if (number === undefined) {
      number = this.#count++;
      lines.set(line, number);
    }
    return number;
  }

  /** All that a walk came by. */
  metIn({ branches }: Exploration): ReadonlySet<number> {
    const met = new Set<number>();
    const add = (origin: Origin): void => {
      for (const line of this.of(origin)) met.add(line);
    };
    for (const branch of branches)
      for (const leg of legsOf(branch)) {
        leg.met?.origins.forEach(add);
        leg.origins.forEach(add);
      }
    return met;
  }
}

/** One of each side: two cases may call their files alike. */
export interface OfBoth<T> {
  readonly a: T;
  readonly b: T;
}

/** Lines that a walk which comes by an element quotes: its own, or those of the rules that ask a set. */
export function linesFor(element: Element, lines: OfBoth<Lines>): OfBoth<readonly number[]> {
  const ofRules = element.rules.length === 0 && element.where.startsWith("nft ");
  if (ofRules || (element.kind !== "set" && element.kind !== "set entry"))
    return { a: lines.a.ofAll(element.a), b: lines.b.ofAll(element.b) };
  const asking = element.rules.map((r) => r.origin);
  return { a: lines.a.ofAll(asking), b: lines.b.ofAll(asking) };
}
