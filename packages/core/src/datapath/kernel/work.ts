/** Rules asked for one answer: some seconds of work. A node of 10,000 Services asks some 30,000 of one packet. */
const MAX_RULES = 30_000_000;
/** Steps kept for one answer, which is what fills memory. */
const MAX_STEPS = 400_000;

/**
 * What walks may still cost. Dumps are hostile: a kilobyte of chains that jump twice to the next is a million rules, two hundred
 * marks by chance more branches than atoms. Counted, not timed, so that the same dumps get the same answer on every machine.
 * Shared by all walks of one answer.
 */
export class Work {
  #rules: number;
  #steps: number;

  constructor(rules = MAX_RULES, steps = MAX_STEPS) {
    this.#rules = rules;
    this.#steps = steps;
  }

  /** Nothing is left: whoever walks has to stop. */
  get spent(): boolean {
    return this.#rules < 0 || this.#steps < 0;
  }

  /** What may still be kept. */
  get room(): number {
    return this.#steps;
  }

  /** Counts what is looked at; false when it was too much. */
  look(count: number): boolean {
    this.#rules -= count;
    return this.#rules >= 0;
  }

  /** Counts what is kept; false when it was too much. */
  keep(count: number): boolean {
    this.#steps -= count;
    return this.#steps >= 0;
  }
}
