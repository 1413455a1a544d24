import type { Dialect, WholeDump } from "../dialect.ts";
import { markFences, markIndented, markQuotes } from "./blocks.ts";
import { type Claims, claimsOver } from "./claims.ts";
import { commandInText, type Echo, type EchoedCommand, echoesOf } from "./echo.ts";
import { markNumberColumns, stripNumberedLines } from "./gutter.ts";
import { labelsOf } from "./label.ts";
import { isRemark } from "./line-kind.ts";
import { isBlank, type Page } from "./page.ts";
import { addSections, type PathHint } from "./section.ts";
import { type Region, segmentsOf } from "./segment.ts";
import type { ShellContext } from "./session.ts";
import { tidy } from "./tidy.ts";

/** A dump found in a page. */
export interface Found {
  readonly dialect: Dialect;
  /** Line indices, ascending; remarks and ellipses inside the dump are left out. */
  readonly lines: readonly number[];
  readonly elided: boolean;
  /** The command whose output it is. */
  readonly command?: EchoedCommand;
  readonly place: ShellContext;
  /** The dump is a list of commands as typed; columns at which they start. */
  readonly columns?: readonly number[];
  /** It is all of the page, and is read without its lines, which are not listed. */
  readonly whole?: WholeDump;
}

export interface Scan {
  readonly page: Page;
  readonly found: readonly Found[];
  /** Ranges of line indices, both ends included, that are no dump. */
  readonly passedOver: readonly (readonly [number, number])[];
}

/** Takes off fences, gutters, quote marks and indentation; the last two only where the file is not known to be a dump. */
export function layOut(page: Page, dialects: readonly Dialect[], mayBeText: boolean): void {
  tidy(page);
  markFences(page);
  markNumberColumns(page);
  if (mayBeText) {
    markQuotes(page);
    markIndented(page);
  }
  stripNumberedLines(page, (text) => dialects.some((d) => /head|line/.test(d.claim(text))));
}

const OUTPUT_SHARE = 0.5;

/** How much of a region somebody claims: a mere dump with a damaged line in it is told from prose by that. */
function mostlyOutput(page: Page, claims: Claims, from: number, to: number, preferred: readonly number[]): boolean {
  let claimed = 0;
  let all = 0;
  for (let i = from; i < to; i++) {
    const text = page.texts[i]!;
    if (page.frame[i] !== 0 || isBlank(text)) continue;
    all++;
    if (preferred.some((d) => claims.fits(d, i)) || claims.claimed(i)) claimed++;
    else if (isRemark(text)) all -= 0.5;
  }
  return claimed > 0 && claimed >= all * OUTPUT_SHARE;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly block: number;
  readonly echo?: Echo;
}

/** Stretches between prompts and block ends. */
function stretchesOf(page: Page, echoes: ReadonlyMap<number, Echo>): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let from = 0;
  let block = page.blocks[0] ?? 0;
  let echo: Echo | undefined;
  const close = (to: number) => {
    if (to > from || echo !== undefined) stretches.push({ from, to, block, ...(echo === undefined ? {} : { echo }) });
    echo = undefined;
  };
  for (let i = 0; i < page.texts.length; i++) {
    const typed = echoes.get(i);
    const here = page.frame[i] === 0 ? page.blocks[i]! : block;
    if (page.frame[i] !== 0 || here !== block || typed !== undefined) {
      close(i);
      from = i;
      block = here;
      if (page.frame[i] !== 0) from = i + 1;
      if (typed !== undefined) {
        echo = typed;
        i = typed.lines[typed.lines.length - 1]!;
        from = i + 1;
      }
    }
  }
  close(page.texts.length);
  return stretches;
}

const byIndex = (dialects: readonly Dialect[], words: readonly string[]): number[] =>
  dialects.flatMap((d, i) => (d.printedBy(words) ? [i] : []));

/** The typed line itself, where it is a command that some dialect reads (`iptables -A …`). */
function commandFound(page: Page, dialects: readonly Dialect[], echo: Echo): Found | undefined {
  const command = echo.commands[0];
  if (command === undefined) return undefined;
  const text = page.texts[echo.lines[0]!]!.slice(echo.columns[0]);
  const dialect = dialects.find((d) => /head|line/.test(d.claim(text)));
  if (dialect === undefined) return undefined;
  return { dialect, lines: echo.lines, columns: echo.columns, elided: false, place: command.place };
}

/**
 * Machines that only the text names: `Node 1:` above one block, `Node 2:` above another. One label alone says nothing that
 * would need saying; two keep apart what is not of one machine.
 */
function withLabels(found: readonly Found[], page: Page): readonly Found[] {
  const labels = labelsOf(page);
  if (labels.length < 2) return found;
  let at = 0;
  const named = found.map((f) => {
    const first = f.lines[0] ?? 0;
    while (at < labels.length && labels[at]!.line < first) at++;
    return labels[at - 1]?.name;
  });
  if (new Set(named.filter((n) => n !== undefined)).size < 2) return found;
  return found.map((f, i) => {
    const name = f.place.host === undefined && !f.place.anywhere ? named[i] : undefined;
    return name === undefined ? f : { ...f, place: { ...f.place, host: name, by: "content" } };
  });
}

/** Commands typed one after the other are one dump. */
function joinCommands(found: readonly Found[], page: Page): readonly Found[] {
  const joined: Found[] = [];
  for (const next of found) {
    const last = joined[joined.length - 1];
    const adjacent =
      last?.columns !== undefined &&
      next.columns !== undefined &&
      last.dialect === next.dialect &&
      last.place.host === next.place.host &&
      last.place.stack === next.place.stack &&
      page.blocks[last.lines[0]!] === page.blocks[next.lines[0]!] &&
      blankBetween(page, last.lines[last.lines.length - 1]!, next.lines[0]!);
    if (adjacent) {
      joined[joined.length - 1] = {
        ...last,
        lines: [...last.lines, ...next.lines],
        columns: [...last.columns!, ...next.columns!],
      };
    } else joined.push(next);
  }
  return joined;
}

function blankBetween(page: Page, from: number, to: number): boolean {
  for (let i = from + 1; i < to; i++) if (!isBlank(page.texts[i]!) && !isRemark(page.texts[i]!)) return false;
  return true;
}

/** Commands that the text above a block names: they say what the block is, if its content agrees. */
function introduction(page: Page, stretch: Stretch): readonly EchoedCommand[] {
  if (stretch.block === 0) return [];
  let observed = 0;
  for (let i = stretch.from - 1; i >= 0 && observed < 2; i--) {
    if (page.frame[i] !== 0 || isBlank(page.texts[i]!)) continue;
    if (page.blocks[i] !== 0) return [];
    observed++;
    const commands = commandInText(page.texts[i]!);
    if (commands.length > 0) return commands;
  }
  return [];
}

/**
 * Finds the dumps in a laid-out page. `hinted`: the command that the file's name or case.yaml stands for; a plain dump
 * file is the transcript of that one command.
 */
export function scan(
  page: Page,
  dialects: readonly Dialect[],
  hinted: EchoedCommand | undefined,
  options: {
    readonly textAt?: (line: number) => string;
    readonly pathHint?: (path: string) => PathHint;
  } = {},
): Scan {
  const claims = claimsOver(page, dialects, options.textAt ?? ((line) => page.texts[line]!));
  const echoes = echoesOf(page);
  addSections(page, claims, echoes, (words) => byIndex(dialects, words), options.pathHint ?? (() => ({ place: {} })));
  const found: Found[] = [];
  const hintedDialects = hinted === undefined ? [] : byIndex(dialects, hinted.words);
  let carried: Echo | undefined;
  for (const stretch of stretchesOf(page, echoes)) {
    const echo = stretch.echo;
    if (echo !== undefined) {
      const typed = commandFound(page, dialects, echo);
      if (typed !== undefined) found.push(typed);
    }
    const empty = isEmpty(page, stretch.from, stretch.to);
    if (empty) {
      // A block that holds only the command: its output may be the next block.
      if (echo !== undefined && stretch.block !== 0) carried = echo;
      continue;
    }
    const above = echo ?? (stretch.block !== 0 ? carried : undefined);
    if (stretch.block !== 0) carried = undefined;
    const commands = above?.commands.filter((c) => !c.simple.redirected) ?? [];
    const candidates = commands.length > 0 ? commands : introduction(page, stretch);
    const own = [...new Set(candidates.flatMap((c) => byIndex(dialects, c.words)))];
    const byName = own.length === 0 && above === undefined && stretch.block === 0 ? hintedDialects : [];
    const preferred = [...own, ...byName];
    const region: Region = {
      from: stretch.from,
      to: stretch.to,
      preferred,
      outputOnly: byName.length > 0 || mostlyOutput(page, claims, stretch.from, stretch.to, preferred),
    };
    for (const segment of segmentsOf(page, claims, region)) {
      const dialect = dialects[segment.dialect]!;
      const command = candidates.find((c) => dialect.printedBy(c.words));
      const place = command?.place ?? (above === undefined ? {} : (above.commands[0]?.place ?? above.place));
      found.push({
        dialect,
        lines: segment.lines,
        elided: segment.elided,
        place,
        ...(command === undefined ? {} : { command }),
      });
    }
  }
  const joined = joinCommands(withLabels(found, page), page);
  return { page, found: joined, passedOver: gaps(page, joined, echoes, dialects) };
}

function isEmpty(page: Page, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (page.frame[i] === 0 && !isBlank(page.texts[i]!)) return false;
  return true;
}

/** Runs of lines that are in no dump. A command whose output was read is not passed over. */
function gaps(
  page: Page,
  found: readonly Found[],
  echoes: ReadonlyMap<number, Echo>,
  dialects: readonly Dialect[],
): readonly (readonly [number, number])[] {
  const used = new Uint8Array(page.texts.length);
  for (const f of found) for (const line of f.lines) used[line] = 1;
  for (const echo of echoes.values()) {
    const understood =
      echo.commands.length === 0 ||
      echo.commands.some(
        (c) =>
          /^(?:exit|logout|clear|cd|su|sudo)?$/.test(c.words[0] ?? "") || dialects.some((d) => d.printedBy(c.words)),
      );
    if (understood) for (const line of echo.lines) used[line] = 1;
  }
  const ranges: [number, number][] = [];
  let open: [number, number] | undefined;
  for (let i = 0; i < page.texts.length; i++) {
    if (used[i] !== 0) open = undefined;
    else if (page.frame[i] === 0 && !isBlank(page.texts[i]!)) {
      if (open === undefined) {
        open = [i, i];
        ranges.push(open);
      } else open[1] = i;
    }
  }
  return ranges;
}
