import { type Lang, MARKS, type MessageId, say, sayAny } from "@hairpin/core/messages/index.ts";
import {
  type Answer,
  answerJson,
  type ChangedClass,
  diagnoseLine,
  SWEEP_SCHEMA,
  type SweepChanges,
} from "@hairpin/core/sweep/index.ts";
import { clip, wrap } from "../layout.ts";
import { printable, type Style } from "../style.ts";
import { flowsText } from "./counted.ts";

export interface ChangesTextOptions {
  readonly style: Style;
  readonly lang: Lang;
  readonly verbose: boolean;
  readonly a: string;
  readonly b: string;
  readonly quote: (side: "a" | "b", file: string, line: number) => string | undefined;
  /** The second side, where it is a case by itself. */
  readonly paths?: readonly string[] | undefined;
  /** Columns of the terminal; without one nothing is broken or cut. */
  readonly width?: number | undefined;
}

/** On one screen. */
const MAX_SHOWN = 10;

/** What changes between two snapshots, for people: what breaks first, and by which line. */
export function changesText(changes: SweepChanges, options: ChangesTextOptions): string {
  const { style, lang, verbose, a, b, quote, paths, width } = options;
  const t = (id: MessageId, params: Record<string, string | number> = {}): string => say({ id, params }, lang);
  const { changed, gone, fresh, undetermined, lost, freshFailing, complete } = changes;
  const many = (count: number): string => flowsText(count, lang);
  const flows = many(changes.flows);
  const count = (...directions: readonly string[]): number =>
    changed.filter((c) => directions.includes(c.direction)).reduce((n, c) => n + c.flows, 0);
  const lines = [
    `${style.bold("A")}  ${printable(a)}`,
    `${style.bold("B")}  ${printable(b)}`,
    "",
    style.bold(
      changes.flows === 0
        ? t("sweep.none-common")
        : changed.length === 0
          ? t("changes.none", { flows })
          : t("changes.head", {
              flows,
              breaks: count("breaks", "worse"),
              heals: count("heals", "better"),
              others: count("otherwise"),
              open: count("open"),
            }),
    ),
    ...(undetermined > 0 ? [t("changes.undetermined", { flows: many(undetermined) })] : []),
    ...(gone + fresh > 0 ? [t("changes.only", { gone: many(gone), fresh: many(fresh) })] : []),
    ...(lost.length > 0 ? [style.yellow(t("changes.lost", { names: lostNames() }))] : []),
    ...(freshFailing > 0 ? [style.yellow(t("changes.fresh-failing", { flows: many(freshFailing) }))] : []),
    ...(complete ? [] : [style.yellow(t("changes.partial"))]),
  ];
  const shown = verbose ? changed : changed.slice(0, MAX_SHOWN);
  for (const [i, c] of shown.entries()) lines.push("", ...classLines(c, i + 1));
  if (shown.length < changed.length)
    lines.push("", style.dim(t("changes.more", { count: changed.length - shown.length })));
  return `${lines.join("\n")}\n`;

  function lostNames(): string {
    const shownNames = verbose ? lost : lost.slice(0, MAX_SHOWN);
    const rest = lost.length - shownNames.length;
    return [...shownNames.map(printable), ...(rest > 0 ? [`+${rest}`] : [])].join(", ");
  }

  function classLines(c: ChangedClass, number: number): readonly string[] {
    const { from, to, proto, node } = c.example;
    const ill = c.direction === "breaks" || c.direction === "worse";
    const paint = ill ? style.red : c.direction === "heals" || c.direction === "better" ? style.green : style.yellow;
    const who = `${from}${node === undefined ? "" : ` (${node})`}`;
    return [
      `${String(number).padStart(3)}  ${paint(t(`changes.${c.direction}` as MessageId, { flows: many(c.flows), from: printable(who), to: printable(to), proto }))}`,
      `     A: ${fate(c.before)}`,
      ...because(c.before, "a"),
      `     B: ${fate(c.after)}`,
      ...because(c.after, "b"),
      ...(paths === undefined ? [] : [style.dim(`     ${printable(diagnoseLine(paths, c.example))}`)]),
    ];
  }

  function fate({ verdict, clientSees, causes }: Answer): string {
    const word = t(`verdict.${verdict}` as MessageId);
    const sees =
      clientSees === null || verdict === "reachable"
        ? ""
        : `${MARKS[lang].comma}${t(`sees.${clientSees}` as MessageId)}`;
    return `${word}${sees}${causes[0] === undefined ? "" : `${MARKS[lang].colon}${causes[0].code}`}`;
  }

  function because({ causes }: Answer, side: "a" | "b"): readonly string[] {
    const [first] = causes;
    if (first === undefined) return [];
    const quoted = first.evidence.slice(0, 2).map(({ file, line }) => {
      const text = quote(side, file, line)?.trim();
      const told = printable(`${file}:${line}${text === undefined ? "" : `: ${text}`}`);
      return style.dim(`          ${width === undefined ? told : clip(told, width - 10)}`);
    });
    const summary = printable(sayAny(first.summary, lang));
    return [...(width === undefined ? [`        ${summary}`] : wrap(summary, 8, 8, width)), ...quoted];
  }
}

/** `sweep A B --json`: each class with what it was before and is after. */
export const changesJson = (changes: SweepChanges) => ({
  schema: SWEEP_SCHEMA,
  flows: changes.flows,
  complete: changes.complete,
  gone: changes.gone,
  new: changes.fresh,
  undetermined: changes.undetermined,
  lost: changes.lost,
  newFailing: changes.freshFailing,
  classes: changes.changed.map((c) => ({ ...c, before: answerJson(c.before), after: answerJson(c.after) })),
});
