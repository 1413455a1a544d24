import type { Dialect, KeptText, WholeDump } from "../dialect.ts";
import type { EchoedCommand } from "../transcript/echo.ts";
import { isBlank, type Page } from "../transcript/page.ts";
import { mayHold } from "../transcript/placeholder.ts";
import type { Found } from "../transcript/scan.ts";
import { isUntidy } from "../transcript/tidy.ts";

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
  for (const dialect of candidatesFor(first, dialects, hinted)) {
    if (dialect.unbroken === true && beginsAgain(page, first)) return undefined;
    if (page.texts.every((t) => isSure(dialect, t) || isBlank(t))) {
      return { dialect, lines: page.texts.map((_, i) => i), elided: false, place: {} };
    }
  }
  return undefined;
}

/** After an empty line, the line it began with. */
const beginsAgain = ({ texts }: Page, first: string): boolean =>
  texts.some((t, i) => i > 0 && t.trim() === first.trim() && isBlank(texts[i - 1]!) && texts.indexOf(first) < i - 1);

/** The same of a text that need not be split: the first dialect that comes into question by its first line says that it is all its own. */
export function wholeDump(
  text: string,
  dialects: readonly Dialect[],
  hinted: EchoedCommand | undefined,
  kept?: KeptText,
): { readonly dialect: Dialect; readonly whole: WholeDump } | undefined {
  const able = dialects.filter((d) => d.whole !== undefined);
  const end = text.indexOf("\n");
  const first = text.slice(0, Math.min(end < 0 ? text.length : end, 1000));
  if (!able.some((d) => isSure(d, first)) || mayHold(text) || isUntidy(text)) return undefined;
  const [dialect] = candidatesFor(first, dialects, hinted);
  const whole = dialect?.whole?.(text, kept);
  return dialect === undefined || whole === undefined ? undefined : { dialect, whole };
}

function candidatesFor(
  first: string,
  dialects: readonly Dialect[],
  hinted: EchoedCommand | undefined,
): readonly Dialect[] {
  const named =
    hinted === undefined ? [] : dialects.filter((d) => d.printedBy(hinted.words) && d.claim(first) !== "no");
  return (named.length > 0 ? named : dialects.filter((d) => isSure(d, first))).slice(0, 6);
}

const isSure = (dialect: Dialect, line: string): boolean => {
  const claim = dialect.claim(line);
  return claim === "head" || claim === "line";
};
