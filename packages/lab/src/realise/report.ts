/** Something of a World that the lab makes differently, or not at all. */
export interface Remark {
  /** missing: not made; substituted: made of something that acts alike; assumed: the World leaves it open. */
  readonly kind: "missing" | "substituted" | "assumed";
  readonly stack?: string;
  readonly text: string;
}

export class Remarks {
  readonly #all: Remark[] = [];

  add(kind: Remark["kind"], stack: string | undefined, text: string): void {
    if (this.#all.some((r) => r.kind === kind && r.stack === stack && r.text === text)) return;
    this.#all.push({ kind, text, ...(stack === undefined ? {} : { stack }) });
  }

  get all(): readonly Remark[] {
    return this.#all;
  }
}
