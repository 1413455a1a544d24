import type { Dialect } from "../dialect.ts";
import type { EchoedCommand } from "../transcript/echo.ts";
import { isBlank, type Page } from "../transcript/page.ts";
import type { Found } from "../transcript/scan.ts";

/**
 * The common case, without the cost of the general one: a file that is one dump from its first line to its last. Every
 * line must be sure; where the file's name says which dialect it is, lines that merely fit it will do.
 */
export function plainDump(
  page: Page,
  dialects: readonly Dialect[],
  hinted: EchoedCommand | undefined,
): Found | undefined {
  const first = page.texts.find((t) => !isBlank(t));
  if (first === undefined) return undefined;
  const document = dialects.find((d) => d.fills?.(page.texts));
  if (document !== undefined) {
    return { dialect: document, lines: page.texts.map((_, i) => i), elided: false, place: {} };
  }
  const named =
    hinted === undefined ? [] : dialects.filter((d) => d.printedBy(hinted.words) && d.claim(first) !== "no");
  const candidates = named.length > 0 ? named : dialects.filter((d) => isSure(d, first));
  for (const dialect of candidates.slice(0, 6)) {
    if (page.texts.every((t) => isSure(dialect, t) || isBlank(t))) {
      return { dialect, lines: page.texts.map((_, i) => i), elided: false, place: {} };
    }
  }
  return undefined;
}

const isSure = (dialect: Dialect, line: string): boolean => {
  const claim = dialect.claim(line);
  return claim === "head" || claim === "line";
};
