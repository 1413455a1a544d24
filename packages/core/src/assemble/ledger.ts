import type { Text } from "../messages/index.ts";
import type { Assumption, Origin } from "../model/index.ts";

/**
 * contradiction: two dumps cannot both be true; left out: something that was given is not in the World; derived: follows
 * from other facts by a rule that may surprise; hint: worth knowing for whoever reads the answer.
 */
export type NoteKind = "contradiction" | "left out" | "derived" | "hint";

export interface Note {
  readonly kind: NoteKind;
  /** Stable, kebab-case: `device-kind-by-name`. */
  readonly code: string;
  readonly stack?: string;
  readonly text: string;
  readonly origins: readonly Origin[];
}

/** Collects, while a World is put together, what a person should be told about it. */
export class Ledger {
  readonly #notes: Note[] = [];
  readonly #assumptions = new Map<string, Assumption>();
  readonly #settled: ReadonlyMap<string, string>;

  /** `settled`: what the user assumes instead, by the id of the assumption. */
  constructor(settled: ReadonlyMap<string, string> = new Map()) {
    this.#settled = settled;
  }

  settled(id: string): string | undefined {
    return this.#settled.get(id);
  }

  note(kind: NoteKind, code: string, text: string, origins: readonly Origin[] = [], stack?: string): void {
    this.#notes.push({ kind, code, ...(stack === undefined ? {} : { stack }), text, origins });
  }

  assume(id: string, value: string, text: Text): void {
    if (!this.#assumptions.has(id)) this.#assumptions.set(id, { id, value, why: { kind: "assembled", message: text } });
  }

  get notes(): readonly Note[] {
    return this.#notes;
  }

  get assumptions(): readonly Assumption[] {
    return [...this.#assumptions.values()];
  }
}
