/** An answer has a size whatever the case: lists are cut and counted, texts end in an ellipsis. */
export const MOST = { items: 20, evidence: 6, text: 600, quote: 240 } as const;

export const cut = (text: string, most: number = MOST.text): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

/** Lists that were cut: how long each really is. */
export class LeftOut {
  readonly #counts = new Map<string, number>();

  take<T>(name: string, list: readonly T[], most: number, offset = 0): readonly T[] {
    const shown = list.slice(offset, offset + most);
    const left = list.length - shown.length;
    if (left > 0) this.#counts.set(name, (this.#counts.get(name) ?? 0) + left);
    return shown;
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
