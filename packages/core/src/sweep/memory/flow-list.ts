import type { Source, Target } from "../flow.ts";
import type { Flow } from "../plan.ts";

/** Who asks, by numbers: the same in all groups of a sweep. */
export class Numbered<Item extends object> {
  readonly list: Item[] = [];
  readonly #numbers = new Map<Item, number>();

  /** `likely`: where it is looked for first. */
  of(item: Item, likely: number): number {
    if (this.list[likely] === item) return likely;
    let number = this.#numbers.get(item);
    if (number === undefined) {
      number = this.list.push(item) - 1;
      this.#numbers.set(item, number);
    }
    return number;
  }
}

/** Flows in their turns, as numbers: of a sweep that is kept there are millions, and each record would be looked at whenever garbage is collected. */
export class FlowList {
  readonly sources: Numbered<Source>;
  readonly #askers: number[] = [];
  readonly #targets: Target[] = [];
  /** In which turn each of the targets is asked first. */
  readonly #starts: number[] = [];
  /** The target that was looked up last: the next is likely to be the same. */
  #last = 0;

  constructor(sources: Numbered<Source>) {
    this.sources = sources;
  }

  get length(): number {
    return this.#askers.length;
  }

  /** Who asks in each turn, by number. */
  get askers(): readonly number[] {
    return this.#askers;
  }

  /** What is asked, one after the other. */
  get targets(): readonly Target[] {
    return this.#targets;
  }

  add({ source, target }: Flow): void {
    if (this.#targets.at(-1) !== target) {
      this.#targets.push(target);
      this.#starts.push(this.#askers.length);
    }
    this.#askers.push(this.sources.of(source, (this.#askers.at(-1) ?? -1) + 1));
  }

  sourceAt(turn: number): Source {
    return this.sources.list[this.#askers[turn]!]!;
  }

  targetAt(turn: number): Target {
    let at = this.#starts[this.#last]! <= turn ? this.#last : 0;
    while (at + 1 < this.#starts.length && this.#starts[at + 1]! <= turn) at++;
    this.#last = at;
    return this.#targets[at]!;
  }

  at(turn: number): Flow {
    return { source: this.sourceAt(turn), target: this.targetAt(turn) };
  }
}
