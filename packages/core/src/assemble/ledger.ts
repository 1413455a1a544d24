import type { Text } from "../messages/index.ts";
import type { Assumption } from "../model/index.ts";

/** Collects, while a World is put together, what was assumed. Where dumps contradict each other, `check` says so. */
export class Ledger {
  readonly #assumptions = new Map<string, Assumption>();
  readonly #settled: ReadonlyMap<string, string>;

  /** `settled`: what the user assumes instead, by the id of the assumption. */
  constructor(settled: ReadonlyMap<string, string> = new Map()) {
    this.#settled = settled;
  }

  settled(id: string): string | undefined {
    return this.#settled.get(id);
  }

  assume(id: string, value: string, text: Text): void {
    if (!this.#assumptions.has(id)) this.#assumptions.set(id, { id, value, why: { kind: "assembled", message: text } });
  }

  get assumptions(): readonly Assumption[] {
    return [...this.#assumptions.values()];
  }
}
