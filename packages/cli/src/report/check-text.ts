import { type CheckReport, type DumpLine, type Evidence, isClean } from "@hairpin/core/check/index.ts";
import {
  countsText,
  diagnosticText,
  dumpTitle,
  type Lang,
  type MessageId,
  notReadText,
  say,
  sayAny,
  text,
} from "@hairpin/core/messages/index.ts";
import { largest } from "@hairpin/core/net/append.ts";
import { bundlesText } from "./check-bundles.ts";
import { datapathsText } from "./check-datapaths.ts";
import { observedText } from "./check-observed.ts";
import { clip, columns, pad, quote, WIDTH, wrap } from "./layout.ts";
import { printable, type Style } from "./style.ts";

const MAX_LISTED = 200;

const place = (dump: DumpLine): string =>
  dump.lines[1] === 0
    ? dump.file
    : `${dump.file}:${dump.lines[0]}${dump.lines[1] === dump.lines[0] ? "" : `-${dump.lines[1]}`}`;

/** Labels that count: English has another for one. */
function counted(id: MessageId & `checked.${string}`, count: number, lang: Lang): string {
  const one = `${id}-one` as MessageId;
  return say({ id: count === 1 ? one : id, params: { count } }, lang);
}

const titleOf = (dump: DumpLine, lang: Lang): string => dumpTitle(dump.dialect, dump.title, lang);

const countsOf = (dump: DumpLine, lang: Lang): string =>
  dump.notReadYet !== undefined
    ? say(text("checked.not-read", { what: notReadText(dump.notReadYet, lang) }), lang)
    : countsText(dump.counts, lang);

/** The dumps of one node: on one line each where it fits. */
function dumpLines(dumps: readonly DumpLine[], style: Style, lang: Lang): readonly string[] {
  const widest = Math.min(
    22,
    largest(
      0,
      dumps.map((d) => columns(titleOf(d, lang))),
    ),
  );
  return dumps.flatMap((dump) => {
    const all = countsOf(dump, lang);
    const partial = dump.partial && dump.notReadYet === undefined;
    const counts = partial ? say(text("checked.partial", { counts: all }), lang) : all;
    const head = `  ${pad(clip(titleOf(dump, lang), widest), widest)}  `;
    const where = clip(printable(place(dump)), WIDTH - columns(head));
    const paint = dump.notReadYet === undefined ? (line: string) => line : style.dim;
    if (columns(head) + columns(where) + 2 + columns(counts) <= WIDTH)
      return [`${head}${style.dim(where)}  ${paint(counts)}`];
    return [`${head}${style.dim(where)}`, ...wrap(counts, columns(head)).map(paint)];
  });
}

function groupsOf(dumps: readonly DumpLine[]): ReadonlyMap<string, readonly DumpLine[]> {
  const groups = new Map<string, DumpLine[]>();
  for (const dump of dumps) {
    const key =
      dump.node === null ? "\u0000" : dump.stack === dump.node ? dump.node : `${dump.node}\u0000${dump.stack}`;
    groups.set(key, [...(groups.get(key) ?? []), dump]);
  }
  return groups;
}

function recognised(report: CheckReport, style: Style, lang: Lang): readonly string[] {
  const groups = [...groupsOf(report.dumps)].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.flatMap(([key, dumps]) => {
    const [node, stack] = key.split("\u0000");
    const title =
      key === "\u0000"
        ? say(text("checked.cluster"), lang)
        : stack === undefined
          ? node!
          : say(text("checked.in", { node: node!, stack }), lang);
    return [
      ...wrap(printable(title), 0).map(style.bold),
      ...dumpLines(dumps.slice(0, MAX_LISTED), style, lang),
      ...andMore(dumps.length, lang),
      "",
    ];
  });
}

const andMore = (n: number, lang: Lang): readonly string[] =>
  n > MAX_LISTED ? [`  ${say(text("checked.more", { count: n - MAX_LISTED }), lang)}`] : [];

function notUnderstood(report: CheckReport, style: Style, lang: Lang): readonly string[] {
  const all = report.notUnderstood;
  if (all.length === 0) return [];
  return [
    style.bold(style.red(counted("checked.not-understood", all.length, lang))),
    ...all.slice(0, MAX_LISTED).flatMap((d) => {
      const { text: shown, caret } = quote(printable(d.text), d.column, d.length, WIDTH - 6);
      return [
        ...wrap(`${printable(d.file)}:${d.line}:${d.column} ${printable(diagnosticText(d, lang))}`, 2, 4),
        `      ${style.dim(shown)}`,
        ...(caret === "" ? [] : [`      ${style.red(caret)}`]),
      ];
    }),
    ...andMore(all.length, lang),
    "",
  ];
}

const evidenceLines = (evidence: readonly Evidence[], style: Style): readonly string[] =>
  evidence.flatMap((e) => [
    ...wrap(`${printable(e.file)}:${e.line}`, 4).map(style.cyan),
    `      ${style.dim(clip(printable(e.text.trim()), WIDTH - 6))}`,
  ]);

function contradictions(
  report: CheckReport,
  style: Style,
  named: (text: string) => string,
  lang: Lang,
): readonly string[] {
  const all = report.contradictions;
  if (all.length === 0) return [];
  return [
    style.bold(style.red(say(text("checked.contradictions", { count: all.length }), lang))),
    ...all
      .slice(0, MAX_LISTED)
      .flatMap((c) => [
        ...wrap(`${c.code}  ${printable(named(say(c.text, lang)))} (${printable(c.stack)})`, 2, 4),
        ...evidenceLines(c.evidence, style),
      ]),
    ...andMore(all.length, lang),
    "",
  ];
}

/** By node, where nobody named its release. */
const likelyReleases = (all: CheckReport["differences"]): readonly (readonly [string, string])[] => [
  ...new Map(all.flatMap((d) => (d.likelyRelease === undefined ? [] : [[d.node, d.likelyRelease] as const]))),
];

/** Node by node, what is not as kube-proxy should have programmed it. */
function differences(
  report: CheckReport,
  style: Style,
  named: (text: string) => string,
  lang: Lang,
): readonly string[] {
  const all = report.differences;
  if (all.length === 0) return [];
  return [
    style.bold(style.red(say(text("difference.heading", { count: all.length }), lang))),
    ...likelyReleases(all).flatMap(([node, version]) =>
      wrap(printable(say(text("difference.likely-release", { node, version }), lang)), 2, 4).map(style.dim),
    ),
    ...all
      .slice(0, MAX_LISTED)
      .flatMap((d) => [
        ...wrap(`${d.code}  ${printable(named(say(d.text, lang)))} (${printable(d.node)})`, 2, 4),
        ...evidenceLines(d.evidence, style),
      ]),
    ...andMore(all.length, lang),
    "",
  ];
}

/** Nodes that lack the same things are named together. */
function missing(report: CheckReport, style: Style, lang: Lang): readonly string[] {
  if (report.missing.length === 0) return [];
  const byNode = new Map<string, CheckReport["missing"][number][]>();
  for (const m of report.missing) byNode.set(m.node, [...(byNode.get(m.node) ?? []), m]);
  const groups = new Map<string, { readonly nodes: string[]; readonly lines: readonly string[] }>();
  for (const [node, all] of byNode) {
    const lines = all.flatMap((m) => [
      `    ${pad(clip(sayAny(m.command, lang), 26), 26)}  ${say(m.what, lang)}`,
      ...wrap(printable(say(m.why, lang)), 32, 32).map(style.dim),
    ]);
    const group = groups.get(lines.join("\n"));
    if (group === undefined) groups.set(lines.join("\n"), { nodes: [node], lines });
    else group.nodes.push(node);
  }
  const parts = [...groups.values()].flatMap(({ nodes, lines }) => [...wrap(printable(nodes.join(", ")), 2), ...lines]);
  return [style.bold(say(text("checked.missing"), lang)), ...parts, ""];
}

function passedOver(report: CheckReport, style: Style, lang: Lang): readonly string[] {
  const all = report.passedOver;
  if (all.length === 0) return [];
  const lines = all.reduce((n, p) => n + p.lines[1] - p.lines[0] + 1, 0);
  const byFile = new Map<string, string[]>();
  for (const { file, lines: range } of all) {
    const shown = range[0] === range[1] ? String(range[0]) : `${range[0]}-${range[1]}`;
    byFile.set(file, [...(byFile.get(file) ?? []), shown]);
  }
  const files = [...byFile].map(([file, ranges]) => {
    const first = ranges.slice(0, 12).join(", ");
    const more = text("checked.ranges-more", { ranges: first, count: ranges.length - 12 });
    return `${printable(file)}: ${ranges.length > 12 ? say(more, lang) : first}`;
  });
  return [
    style.bold(counted("checked.passed-over", lines, lang)),
    ...files.slice(0, 40).flatMap((file) => wrap(file, 2, 4).map(style.dim)),
    ...(files.length > 40 ? [`  ${say(text("checked.more-files", { count: files.length - 40 }), lang)}`] : []),
    "",
  ];
}

function notes(report: CheckReport, skipped: readonly string[], style: Style, lang: Lang): readonly string[] {
  const texts = [
    ...skipped.map(printable),
    ...report.notes.map((d) => `${printable(d.file)}:${d.line} ${printable(diagnosticText(d, lang))}`),
    ...report.placeholders.map((p) =>
      say(
        p.value === null
          ? text("checked.stands-for-nothing", { name: p.name })
          : text("checked.stands-for", { name: p.name, value: p.value }),
        lang,
      ),
    ),
  ];
  if (texts.length === 0) return [];
  return [
    style.bold(say(text("checked.notes"), lang)),
    ...texts.slice(0, 40).flatMap((t) => wrap(t, 2, 4)),
    ...andMore(texts.length > 40 ? texts.length + MAX_LISTED - 40 : 0, lang),
    "",
  ];
}

/**
 * The report for people: the conclusion first, then what is wrong, what would help, and what was read. `named` puts the names of
 * addresses beside them.
 */
export function checkText(
  report: CheckReport,
  skipped: readonly string[],
  style: Style,
  named: (text: string) => string = (text) => text,
  lang: Lang = "en",
): string {
  const counts = [
    counted("checked.sum-dumps", report.dumps.length, lang),
    say(text("checked.sum-not-understood", { count: report.notUnderstood.length }), lang),
    counted("checked.sum-contradictions", report.contradictions.length, lang),
    ...(report.differences.length === 0 ? [] : [counted("checked.sum-differences", report.differences.length, lang)]),
  ];
  const clean = isClean(report);
  return [
    (clean ? style.green : style.red)(style.bold(counts.join(lang === "zh" ? "，" : ", "))),
    "",
    ...notUnderstood(report, style, lang),
    ...contradictions(report, style, named, lang),
    ...differences(report, style, named, lang),
    ...missing(report, style, lang),
    ...bundlesText(report, style, lang),
    ...datapathsText(report, style, lang),
    ...recognised(report, style, lang),
    ...passedOver(report, style, lang),
    ...notes(report, skipped, style, lang),
    ...observedText(report.seen, style, lang).map(named),
  ]
    .join("\n")
    .replace(/\n*$/, "\n");
}
