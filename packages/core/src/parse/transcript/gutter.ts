import { isBlank, type Page, replaceLine } from "./page.ts";
import { promptOf } from "./prompt.ts";

const LONE_NUMBER = /^\s{0,8}(\d{1,6})\s*$/;

/**
 * A column of line numbers printed before the block it belongs to, one number a line, as copying from a web page with
 * a separate gutter leaves it: 1, 2, 3 … n, and then n lines of text.
 */
export function markNumberColumns(page: Page): void {
  const { texts, frame, blocks } = page;
  const numberAt = (i: number): number => {
    const m = i < texts.length && texts[i]!.length < 20 ? LONE_NUMBER.exec(texts[i]!) : null;
    return m === null ? -1 : Number(m[1]);
  };
  for (let i = 0; i < texts.length; i++) {
    if (frame[i] !== 0 || numberAt(i) !== 1) continue;
    let n = 1;
    while (numberAt(i + n) === n + 1) n++;
    const from = i + n;
    // After a line of text it is output (`cat /proc/sys/…`); one number alone is a footnote, unless a command follows.
    const alone = i === 0 || frame[i - 1] !== 0 || isBlank(texts[i - 1]!);
    if (from >= texts.length || !alone || (n === 1 && promptOf(texts[from]!) === undefined)) continue;
    for (let k = i; k < from; k++) frame[k] = 1;
    page.blockCount++;
    const to = Math.min(texts.length, from + n);
    for (let k = from; k < to; k++) if (frame[k] === 0) blocks[k] = page.blockCount;
    i = to - 1;
  }
}

const NUMBERED = /^\s{0,8}(\d{1,6})(\t|\s?[|│]\s?|\.(?:\s|$)|\s{1,40}|$)/;

interface Mark {
  readonly number: number;
  /** Width up to the end of the digits. */
  readonly digits: number;
  readonly separator: string;
}

/**
 * Line numbers at the start of each line (`cat -n`, editors). They only come off where the lines are claimed by some
 * dialect without them and not with them: `iptables -L --line-numbers` numbers its rules itself.
 */
export function stripNumberedLines(page: Page, isClaimed: (text: string) => boolean): void {
  const { texts, frame } = page;
  const markAt = (i: number): Mark | undefined => {
    const m = i < texts.length && frame[i] === 0 ? NUMBERED.exec(texts[i]!.slice(0, 60)) : null;
    return m === null ? undefined : { number: Number(m[1]), digits: m[0].length - m[2]!.length, separator: m[2]! };
  };
  for (let i = 0; i < texts.length; i++) {
    const first = markAt(i);
    if (first === undefined) continue;
    const marks: Mark[] = [];
    for (let m: Mark | undefined = first; m?.number === first.number + marks.length; m = markAt(i + marks.length)) {
      marks.push(m);
    }
    if (marks.length >= 3) {
      const separators = marks.filter((m) => m.separator !== "").map((m) => m.separator);
      // Blanks that all lines have after the number are the gutter's, further ones the tool's.
      const width = separators.some((s) => s.trim() !== "" || s === "\t")
        ? (separators[0] ?? "").length
        : Math.min(...separators.slice(0, 10_000).map((s) => s.length), 8);
      const taken = (m: Mark) =>
        m.digits + (m.separator.trim() === "" ? Math.min(width, m.separator.length) : m.separator.length);
      const sample = marks.slice(0, 200);
      const numbered = sample.filter((_, k) => isClaimed(texts[i + k]!)).length;
      const bare = sample.filter((m, k) => isClaimed(texts[i + k]!.slice(taken(m)))).length;
      if (bare > numbered) {
        marks.forEach((m, k) => {
          replaceLine(page, i + k, texts[i + k]!.slice(taken(m)), taken(m));
        });
      }
    }
    i += marks.length - 1;
  }
}
