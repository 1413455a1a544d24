import { isEllipsis } from "../ellipsis.ts";
import type { Claims } from "./claims.ts";
import { isRemark } from "./line-kind.ts";
import { isBlank, type Page } from "./page.ts";

/** A run of lines that are one dump. `lines` leaves out remarks and ellipses; damaged lines stay, for the reader to say so. */
export interface Segment {
  readonly dialect: number;
  readonly lines: readonly number[];
  /** Something was left out inside it. */
  readonly elided: boolean;
}

export interface Region {
  readonly from: number;
  /** One past the last line. */
  readonly to: number;
  /** Dialects that the command above, or the file's name, says will follow. */
  readonly preferred: readonly number[];
  /** Nothing but tool output is expected here, so what nobody claims is damage and not text between dumps. */
  readonly outputOnly: boolean;
}

/** Lines of unclaimed text that may stand inside a dump in running text, if the dump goes on after them. */
const MAX_DAMAGE = 3;
/** `ipset list` and `iptables -L` part their sections by one empty line. */
const MAX_BLANKS = 2;
const LOOK_AHEAD = 40;

interface Run {
  readonly lines: number[];
  elided: boolean;
  strong: number;
  /** First line that is not part of the run. */
  next: number;
}

/** Follows one dialect from `start` as far as it goes. */
function follow(page: Page, claims: Claims, region: Region, dialect: number, start: number, limit: number): Run {
  const run: Run = { lines: [], elided: false, strong: 0, next: start };
  const expected = region.preferred.includes(dialect);
  let blanks = 0;
  let waiting: number[] = [];
  let ellipsis = false;
  const adopt = (line: number) => {
    for (const w of waiting) if (!isRemark(page.texts[w]!)) run.lines.push(w);
    waiting = [];
    run.elided ||= ellipsis;
    ellipsis = false;
    run.lines.push(line);
    run.next = line + 1;
    blanks = 0;
  };
  let damage = 0;
  for (let i = start; i < limit; i++) {
    const text = page.texts[i]!;
    if (page.frame[i] !== 0) continue;
    if (isBlank(text)) {
      if (++blanks > MAX_BLANKS && !region.outputOnly) break;
      if (waiting.length > 0 && !region.outputOnly) break;
    } else if (claims.strong(dialect, i)) {
      // No listing shows the same thing twice: the line it began with begins another.
      if (blanks > 0 && claims.dialects[dialect]!.unbroken === true && text.trim() === page.texts[start]!.trim()) break;
      run.strong++;
      damage = 0;
      adopt(i);
    } else if (claims.fits(dialect, i)) {
      if (i > start && ((blanks > 0 && (!expected || isRemark(text))) || claims.headOfAnother(dialect, i))) break;
      if (expected) run.strong++;
      adopt(i);
      if (isEllipsis(text)) run.elided = true;
    } else if (isEllipsis(text)) ellipsis = true;
    else if (claims.claimedByAnother(dialect, i)) break;
    else {
      if (blanks > 0 && !region.outputOnly) break;
      waiting.push(i);
      if (!isRemark(text) && ++damage > MAX_DAMAGE && !region.outputOnly) break;
    }
  }
  // The end of a dump that stands alone: damage at its tail is still the dump's.
  if (region.outputOnly || (expected && blanks === 0)) {
    for (const w of waiting) {
      if (isRemark(page.texts[w]!)) continue;
      run.lines.push(w);
      run.next = w + 1;
    }
  }
  if (ellipsis && (blanks <= 1 || region.outputOnly)) run.elided = true;
  return run;
}

/** The dialect that starts at `line` and explains most of what follows. */
function starter(page: Page, claims: Claims, region: Region, line: number, below: boolean): number | undefined {
  const candidates: number[] = [];
  for (const d of region.preferred) {
    // What stands right below the command is its output, whatever it looks like; further down a sentence is a sentence, and the
    // first line of another dump begins one.
    const another = isRemark(page.texts[line]!) || claims.headOfAnother(d, line);
    if (claims.strong(d, line) || (claims.fits(d, line) && (below || !another))) candidates.push(d);
  }
  for (let d = 0; d < claims.dialects.length; d++) {
    if (claims.strong(d, line) && !candidates.includes(d)) candidates.push(d);
  }
  if (candidates.length <= 1) return candidates[0];
  const limit = Math.min(region.to, line + LOOK_AHEAD);
  let best: number | undefined;
  let bestScore = -1;
  for (const d of candidates) {
    const run = follow(page, claims, region, d, line, limit);
    const fit = (claims.head(d, line) ? 2 : 0) + (claims.strong(d, line) ? 1 : 0);
    const score = run.strong * 100 + run.lines.length + fit * 10 + (region.preferred.includes(d) ? 50 : 0);
    if (score > bestScore) {
      best = d;
      bestScore = score;
    }
  }
  return best;
}

/** Cuts a region into dumps. Linear: every line is looked at a bounded number of times. */
export function segmentsOf(page: Page, claims: Claims, region: Region): readonly Segment[] {
  const segments: Segment[] = [];
  /** Unclaimed lines before the first dump of a region that is all output. */
  let stray: number[] = [];
  let i = region.from;
  let below = true;
  while (i < region.to) {
    const text = page.texts[i]!;
    if (page.frame[i] !== 0 || isBlank(text)) {
      below = false;
      i++;
      continue;
    }
    const dialect = starter(page, claims, region, i, below);
    if (dialect === undefined) {
      if (!isRemark(text) && !isEllipsis(text)) stray.push(i);
      i++;
      continue;
    }
    const run = follow(page, claims, region, dialect, i, region.to);
    const lines = region.outputOnly && segments.length === 0 ? [...stray, ...run.lines] : run.lines;
    stray = [];
    segments.push({ dialect, lines, elided: run.elided });
    i = Math.max(run.next, i + 1);
  }
  const expected = region.preferred[0];
  if (segments.length > 0 || expected === undefined) return segments;
  // Nobody knows these lines, but a command that we read was typed above them: they are its output all the same.
  const output = region.outputOnly ? stray : stray.filter((line, at) => line === region.from + at);
  if (output.length > 0) return [{ dialect: expected, lines: output, elided: false }];
  return segments;
}
