import { figure, type Lang, MARKS, type MessageId, say, sayAny } from "@hairpin/core/messages/index.ts";
import { append, largest } from "@hairpin/core/net/append.ts";
import {
  type CauseEverywhere,
  causesAlike,
  causesIn,
  diagnoseLine,
  type FixRef,
  fails,
  fixLead,
  fixWords,
  healsMost,
  type MatrixRow,
  matrixOf,
  openWithoutFact,
  SOURCE_KINDS,
  type Sweep,
  tallyOf,
  undecidedAlike,
} from "@hairpin/core/sweep/index.ts";
import { clipMiddle, clipStyled, columns, wrap, wrapCommand } from "../layout.ts";
import { printable, type Style } from "../style.ts";
import { classesText, flowsText } from "./counted.ts";

export interface SweepTextOptions {
  readonly style: Style;
  readonly lang: Lang;
  readonly verbose: boolean;
  /** What the case is called on the command line. */
  readonly paths: readonly string[];
  /** Columns of the terminal; without one nothing is cut. */
  readonly width?: number | undefined;
  /** Its lines; 24 where nobody says. */
  readonly height?: number | undefined;
}

/** How much is printed. */
interface Measure {
  readonly causes: number;
  readonly facts: number;
  readonly rows: number;
  /** Each cause and each fact in as few lines as can be, none longer than the terminal is wide. */
  readonly brief: boolean;
}

const ALL: Measure = { causes: Infinity, facts: Infinity, rows: Infinity, brief: false };
/** Where nobody's screen is known. */
const SOME: Measure = { causes: 8, facts: 5, rows: 12, brief: false };
const SMALL_SCREEN = 24;
/** Below the title of the matrix: its head, what is left out, and how to see that. */
const BESIDE_ROWS = 3;
const MOST_FIX_LINES = 3;
/** Lines of a cause of which nothing is cut, and of all that is no cause. */
const WHOLE_CAUSE = 7;
const REST_OF_SCREEN = 17;
const LEAST_NAME = 16;
/** On one screen: a larger one has room for more causes, which take two lines each. */
const onScreen = (height = SMALL_SCREEN): Measure => ({
  causes: 3 + Math.max(0, Math.floor((height - SMALL_SCREEN) / 2)),
  facts: 2,
  rows: 4,
  brief: true,
});

/** A sweep for people: what is broken for most first, what is open, and the matrix. */
export function sweepText(sweep: Sweep, options: SweepTextOptions): string {
  const { style, lang, verbose, paths, width, height } = options;
  const measure = verbose ? ALL : width === undefined ? SOME : onScreen(height);
  const t = (id: MessageId, params: Record<string, string | number | readonly string[]> = {}): string =>
    say({ id, params }, lang);
  const many = (count: number): string => flowsText(count, lang);
  const { classes, flows, answered } = sweep;
  const tally = tallyOf(classes);
  const broken = tally.unreachable + tally.intermittent;
  const open = tally.undetermined + tally.leaning;
  const lines = [
    style.bold(
      t("sweep.head", {
        flows: many(answered),
        classes: classesText(classes.length, lang),
        works: figure(tally.reachable),
        fails: figure(broken),
        open: figure(open),
      }),
    ),
    ...(tally.leaning > 0 ? [t("sweep.leaning", { flows: many(tally.leaning) })] : []),
    ...(answered < flows
      ? [style.yellow(t("sweep.partial", { answered: figure(answered), flows: figure(flows) }))]
      : []),
  ];
  const causes = verbose ? causesIn(classes).map((c) => ({ ...c, others: 0 })) : causesAlike(classes);
  if (causes.length === 0 && broken === 0 && open === 0 && answered === flows) lines.push(style.green(t("sweep.fine")));
  if (causes.length > 0) lines.push("", style.bold(t("sweep.broken")));
  const shown = causes.slice(0, measure.causes);
  const isRoomy = causes.length * WHOLE_CAUSE + REST_OF_SCREEN <= Math.max(SMALL_SCREEN, height ?? 0);
  for (const [i, cause] of shown.entries()) append(lines, causeLines(cause, i + 1));
  if (shown.length < causes.length) {
    const rest = causes.slice(shown.length);
    lines.push(
      style.dim(
        `  ${t("sweep.more-causes", { count: rest.length, flows: many(rest.reduce((n, c) => n + c.flows, 0)) })}`,
      ),
    );
  }
  const best = causes.length > 1 ? healsMost(classes.filter(fails)) : null;
  if (best !== null) append(lines, fixLines(t("sweep.heals-most", { flows: many(best.heals) }), best, 2));
  const facts = undecidedAlike(classes);
  const rest = openWithoutFact(classes);
  if (facts.length > 0 || rest !== null) lines.push("", style.bold(t("sweep.undecided")));
  for (const { fact, nodes, command, flows: count } of facts.slice(0, measure.facts - (rest === null ? 0 : 1))) {
    const said =
      nodes === 1
        ? t("sweep.fact", { fact: printable(fact), flows: many(count) })
        : t("sweep.fact-alike", { fact: printable(fact), nodes, flows: many(count) });
    append(lines, openLines(said, command ?? ""));
  }
  if (rest !== null)
    append(lines, openLines(t("sweep.no-fact", { flows: many(rest.flows) }), diagnoseLine(paths, rest.example)));
  lines.push("", style.bold(t("sweep.matrix")));
  // What else is said may leave less room.
  const left = Math.max(SMALL_SCREEN, height ?? 0) - lines.length - BESIDE_ROWS;
  append(lines, matrixLines(measure.brief ? Math.max(1, Math.min(measure.rows, left)) : measure.rows));
  if (!measure.brief) return `${lines.join("\n")}\n`;
  lines.push(style.dim(t("sweep.verbose")));
  return `${lines.map((line) => clipStyled(line, width!)).join("\n")}\n`;

  function causeLines(cause: CauseEverywhere, number: number): readonly string[] {
    const targets = cause.targets === 1 ? t("sweep.target") : t("sweep.targets", { count: cause.targets });
    const sources = cause.everybody
      ? [t("sweep.everybody")]
      : cause.sources.map((s) => t(`sweep.source.${s}` as MessageId));
    const { code, flows: count, others } = cause;
    const place = printable(cause.at);
    const at = others === 0 ? place : t("sweep.places", { at: place, count: others });
    const head = t("sweep.cause", { code, at, flows: many(count), sources, targets });
    const { fix } = cause;
    const cures =
      fix === null
        ? []
        : [`     ${say(fixLead(fix, count), lang)}${MARKS[lang].colon}${printable(fixWords(fix, lang))}`];
    const summary = cause.summary === "" ? t("sweep.no-cause") : printable(sayAny(cause.summary, lang));
    const first = `${String(number).padStart(3)}  ${style.red(head)}`;
    if (measure.brief) {
      // With few causes there is room to tell all of it.
      if (!isRoomy) return [first, ...(cures.length > 0 ? cures : [`     ${summary}`])];
      const told = fix === null ? [] : fixLines(`     ${say(fixLead(fix, count), lang)}`, fix, 7);
      return [first, ...wrap(summary, 5, 5, width), ...told];
    }
    return [
      first,
      `     ${summary}`,
      ...cures,
      style.dim(`     ${t("sweep.worked")}${MARKS[lang].colon}${printable(diagnoseLine(paths, cause.example))}`),
    ];
  }

  /** To be copied: what does not fit a line goes on in the next. */
  function fixLines(said: string, fix: FixRef, indent: number): readonly string[] {
    const lead = `${said}${MARKS[lang].colon}`;
    const words = printable(fixWords(fix, lang));
    if (!measure.brief || columns(lead + words) <= width!) return [`${lead}${words}`];
    const isCommand = fix.commands.length > 0;
    const told = isCommand ? wrapCommand(words, indent, width!) : wrap(words, indent, indent, width);
    return told.length > MOST_FIX_LINES ? [`${lead}${words}`] : [lead.trimEnd(), ...told];
  }

  function openLines(said: string, command: string): readonly string[] {
    const read = printable(command);
    if (measure.brief) return [`  ${said}${read === "" ? "" : `${MARKS[lang].colon}${read}`}`];
    return [`  ${said}`, ...(read === "" ? [] : [style.dim(`    ${read}`)])];
  }

  function matrixLines(most: number): readonly string[] {
    const rows = matrixOf(classes);
    const kinds = SOURCE_KINDS.filter((k) => rows.some((r) => r.cells.has(k)));
    const failing = (row: MatrixRow): number =>
      [...row.cells.values()].reduce((n, c) => n + c.unreachable + c.intermittent, 0);
    const bad = (row: MatrixRow): boolean => failing(row) > 0;
    const first = rows.filter(bad);
    const chosen = [...first, ...rows.filter((r) => !bad(r))].slice(0, most);
    const cell = (row: MatrixRow, kind: string): string => {
      const c = row.cells.get(kind);
      if (c === undefined) return "";
      const fail = c.unreachable + c.intermittent;
      const unknown = c.undetermined + c.leaning;
      const all = fail + unknown + c.reachable;
      return fail > 0 ? `${fail}/${all}` : unknown > 0 ? `?${unknown}/${all}` : `ok ${all}`;
    };
    const heads = ["", "", ...kinds.map((k) => t(`sweep.source.${k}` as MessageId))];
    const whole = [heads, ...chosen.map((r) => [printable(r.target), r.via, ...kinds.map((k) => cell(r, k))])];
    const widthsOf = (rows: readonly (readonly string[])[]): readonly number[] =>
      heads.map((_, i) =>
        largest(
          0,
          rows.map((row) => columns(row[i]!)),
        ),
      );
    const [names = 0, ...figures] = widthsOf(whole);
    // A name is known by its ends; half a figure says nothing.
    const room = measure.brief ? width! - figures.reduce((sum, w) => sum + w + 2, 2) : names;
    const table = whole.map(([name = "", ...row]) => [clipMiddle(name, Math.max(LEAST_NAME, room)), ...row]);
    const widths = widthsOf(table);
    const left = rows.filter((r) => !chosen.includes(r));
    return [
      ...table.map((row, n) => {
        const line = `  ${row
          .map((word, i) => word + " ".repeat(widths[i]! - columns(word)))
          .join("  ")
          .trimEnd()}`;
        return n === 0 ? style.dim(line) : bad(chosen[n - 1]!) ? style.red(line) : line;
      }),
      ...(left.length > 0
        ? [
            style.dim(
              `  ${t("sweep.more-rows", { count: left.length, flows: many(left.reduce((n, r) => n + failing(r), 0)) })}`,
            ),
          ]
        : []),
    ];
  }
}
