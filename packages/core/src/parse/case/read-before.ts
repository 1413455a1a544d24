import type { KeptText, Reading } from "../dialect.ts";
import type { Found } from "../transcript/scan.ts";
import type { CaseInput } from "./input.ts";

/** A dump with its first and last line; `empty`: nobody asked for it, and it holds nothing. */
export interface ReadDump {
  readonly lines: readonly [number, number];
  readonly reading: Reading;
  readonly empty: boolean;
}

interface KnownPage<Page> {
  readonly text: string | undefined;
  readonly digest: string | undefined;
  readonly hints: string;
  readonly page: Page;
}

/**
 * Files that are one dump each, as another case had them: who reads two snapshots reads what is the same in both once, and gets the same records. What is
 * read by more than its own text (placeholders, several dumps in one file) is read anew.
 */
export class ReadBefore<Page = unknown> {
  readonly #pages = new Map<string, KnownPage<Page>>();
  /** How large texts are kept. */
  readonly kept: KeptText;

  constructor(kept: KeptText = {}) {
    this.kept = kept;
  }

  readonly #dumps = new WeakMap<Found, Map<string, ReadDump>>();

  page(input: CaseInput, hints: unknown): Page | undefined {
    const known = this.#pages.get(input.path);
    if (known === undefined || known.digest !== input.digest) return undefined;
    const isSame = input.digest !== undefined || known.text === input.text;
    return isSame && known.hints === JSON.stringify(hints) ? known.page : undefined;
  }

  notePage(input: CaseInput, hints: unknown, page: Page): void {
    const { path, digest } = input;
    const text = digest === undefined ? (input.text ?? "") : undefined;
    this.#pages.set(path, { text, digest, hints: JSON.stringify(hints), page });
  }

  dump(found: Found, context: unknown, read: () => ReadDump): ReadDump {
    let known = this.#dumps.get(found);
    if (known === undefined) {
      known = new Map();
      this.#dumps.set(found, known);
    }
    const key = JSON.stringify(context);
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = read();
    known.set(key, made);
    return made;
  }
}
