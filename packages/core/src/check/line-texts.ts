import { linesOf, type Origin } from "../model/index.ts";
import type { CaseInput } from "../parse/case/input.ts";
import { splitLines } from "../parse/source.ts";
import type { Evidence } from "./report.ts";

/** Quotes lines of the case's files; a file is split only when one of its lines is asked for. */
export class LineTexts {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #lines = new Map<string, readonly string[]>();

  constructor(inputs: readonly CaseInput[]) {
    this.#texts = new Map(inputs.flatMap((i) => (i.text === undefined ? [] : [[i.path, i.text] as const])));
  }

  text(file: string, line: number): string {
    let lines = this.#lines.get(file);
    if (lines === undefined) {
      lines = splitLines(this.#texts.get(file) ?? "");
      this.#lines.set(file, lines);
    }
    return lines[line - 1] ?? "";
  }

  evidence(...origins: readonly Origin[]): readonly Evidence[] {
    return origins
      .flatMap(linesOf)
      .slice(0, MAX_EVIDENCE)
      .map(({ file, line }) => ({ file, line, text: this.text(file, line) }));
  }
}

/** A thousand rules may name the one set that is not there; a few of them are enough to look at. */
const MAX_EVIDENCE = 6;
